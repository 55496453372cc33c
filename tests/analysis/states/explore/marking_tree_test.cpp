#include "analysis/states/explore/marking_tree.hpp"

#include "tests/support/case_count.hpp"
#include "tests/support/ranks.hpp"

#include <map>
#include <set>

#include <catch2/catch.hpp>
#include <tbb/parallel_for.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

using Words = std::vector<states::Word>;

/// Many of these words are equal, and so are many parts of different markings.
states::Word some_word(CounterRandom& random) {
    switch (random.below(3)) {
        case 0:
            return 0;
        case 1:
            return random.below(3);
        default:
            return random.next();
    }
}

/// A marking, and then markings that each differ in a few words from an earlier one.
std::vector<Words> related_markings(CounterRandom& random, std::size_t words, std::size_t count) {
    Words first;
    for (std::size_t i = 0; i < words; ++i) first.push_back(some_word(random));
    std::vector<Words> markings = {first};
    while (markings.size() < count) {
        Words marking = markings[random.below(static_cast<std::uint32_t>(markings.size()))];
        for (std::uint32_t changes = random.below(4); changes > 0; --changes)
            marking[random.below(static_cast<std::uint32_t>(words))] = some_word(random);
        markings.push_back(marking);
    }
    return markings;
}

}  // namespace

TEST_CASE("a marking unfolds from its root, and equal roots are equal markings") {
    for (std::uint64_t seed = 1; seed <= case_count(200); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const std::size_t words = 2 + random.below(random.below(4) == 0 ? 200 : 20);
        states::WordTable table;
        states::MarkingTree tree(table, words);
        std::map<states::Word, Words> by_root;
        std::map<Words, states::Word> by_marking;
        for (const Words& marking : related_markings(random, words, 60)) {
            if (!by_marking.contains(marking) && !by_root.empty()) {
                const auto known = tree.known_root(marking.data());  // known only if its parts are stored
                REQUIRE((!known || !by_root.contains(*known)));
            }
            const std::optional<states::Word> root = tree.root(marking.data());
            REQUIRE(root);
            if (words > states::most_fixed_words)
                REQUIRE(tree.hash().bits == states::StateHash(marking.data(), states::AnyWords{words}).bits);
            REQUIRE(by_root.emplace(*root, marking).first->second == marking);
            REQUIRE(by_marking.emplace(marking, *root).first->second == *root);
            REQUIRE(states::MarkingTree(table, words).known_root(marking.data()) == root);
            // The next marking gets another base.
            auto base = by_root.begin();
            std::advance(
                base, static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(by_root.size()))));
            const states::Word* unfolded = tree.unfold(base->first);
            REQUIRE(Words(unfolded, unfolded + words) == base->second);
        }
    }
}

TEST_CASE("threads that fold markings at the same time agree") {
    CounterRandom random(7, 0);
    constexpr std::size_t words = 37;
    const std::vector<Words> markings = related_markings(random, words, case_count(8000));
    states::WordTable table;
    std::vector<states::Word> roots(markings.size());
    on_threads(5, [&] {
        tbb::parallel_for(std::size_t{0}, std::size_t{50}, [&](std::size_t part) {
            states::MarkingTree tree(table, words);
            for (std::size_t i = part; i < markings.size(); i += 50)
                roots[i] = *tree.root(markings[i].data());
        });
    });
    states::MarkingTree tree(table, words);
    std::map<Words, std::set<states::Word>> roots_of;
    for (std::size_t i = 0; i < markings.size(); ++i) {
        const states::Word* unfolded = tree.unfold(roots[i]);
        REQUIRE(Words(unfolded, unfolded + words) == markings[i]);
        roots_of[markings[i]].insert(roots[i]);
    }
    for (const auto& [marking, its_roots] : roots_of) REQUIRE(its_roots.size() == 1);
    CHECK(table.bytes() >= 14 * table.size());
}

TEST_CASE("a full table says so and keeps what it has") {
    CounterRandom random(3, 0);
    constexpr std::size_t words = 9;
    states::WordTable table(2);  // of 256 stripes each
    states::MarkingTree tree(table, words);
    std::map<states::Word, Words> kept;
    std::size_t refused = 0;
    for (const Words& marking : related_markings(random, words, 2000)) {
        const std::optional<states::Word> root = tree.root(marking.data());
        if (root) kept[*root] = marking;
        if (!root) ++refused;
    }
    CHECK(refused > 100);
    CHECK(kept.size() > 20);
    CHECK(table.size() <= 512);
    for (const auto& [root, marking] : kept) {
        const states::Word* unfolded = tree.unfold(root);
        CHECK(Words(unfolded, unfolded + words) == marking);
        CHECK(tree.root(marking.data()) == root);
    }
}
