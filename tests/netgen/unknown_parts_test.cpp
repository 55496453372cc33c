// Readers drop nothing silently: an error or a warning names a construct that a format does not have,
// wherever it is inserted.

#include "tests/support/unknown_parts.hpp"

#include "netgen/blocks/amalthea.hpp"
#include "netgen/blocks/scheduling_examiner.hpp"
#include "netgen/blocks/task_set.hpp"
#include "netgen/cfg/text.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/sass/read_sass.hpp"
#include "netgen/sm/presets.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string file_text(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void read_configuration(const std::string& text, std::vector<std::string>& warnings) {
    netgen::ExaminerOptions options;
    options.warnings = &warnings;
    options.makespan = [](const netgen::TaskSet&) { return netgen::Time{1}; };
    netgen::read_examiner_config(text, "c.json", options);
}

void read_model(const std::string& text, std::vector<std::string>& warnings) {
    netgen::AmaltheaOptions options;
    options.warnings = &warnings;
    netgen::read_amalthea(text, "m.amxmi", options);
}

/// Reads PTX or a listing of machine code, with all its kernels.
void read_machine_code(const std::string& text, std::vector<std::string>& warnings) {
    const netgen::PtxModule module =
        netgen::is_sass(text) ? netgen::read_sass(text, "k") : netgen::read_ptx(text, "k");
    warnings = module.warnings;
    for (const std::string& kernel : module.kernels()) {
        warnings.push_back(kernel);
        const netgen::PtxExecution profile = netgen::analyse_ptx(module, kernel).profile;
        for (const auto* unknown :
             {&profile.unknown_opcodes, &profile.unknown_modifiers, &profile.undeclared_names})
            warnings.insert(warnings.end(), unknown->begin(), unknown->end());
    }
}

struct PtxPiece {
    std::size_t begin, end;
    bool in_instruction;  // not its first token
    bool is_opcode;
};

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Tokens of a PTX text; statements end with ; { } and labels.
std::vector<PtxPiece> ptx_pieces(const std::string& text) {
    std::vector<PtxPiece> pieces;
    bool begins = true, instruction = false, guard = false;
    int vectors = 0;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
            ++i;
            continue;
        }
        if (text.compare(i, 2, "//") == 0) {
            i = text.find('\n', i);
            continue;
        }
        if (text[i] == '"') {
            end = text.find('"', i + 1) + 1;
        } else if (in_word(text[i]) || text[i] == '.') {
            while (in_word(text[end]) || text[end] == '.' || text.compare(end, 2, "::") == 0)
                end += text[end] == ':' ? 2U : 1U;
        }
        const bool word = in_word(text[i]) && std::isdigit(static_cast<unsigned char>(text[i])) == 0;
        if (begins) {
            guard = text[i] == '@';
            instruction = guard || word;
            pieces.push_back({i, end, false, instruction && !guard});
        } else {
            pieces.push_back({i, end, instruction, false});
            if (guard && word && in_word(text[pieces[pieces.size() - 2].begin]))
                pieces.back().is_opcode = true;
        }
        if (pieces.back().is_opcode) guard = false;
        if (instruction && text[i] == '{') ++vectors;
        if (instruction && vectors > 0 && text[i] == '}') {
            --vectors;
            begins = false;
        } else {
            begins = text[i] == ';' || (vectors == 0 && (text[i] == '{' || text[i] == '}')) ||
                     (text[i] == ':' && end == i + 1);
        }
        i = end;
    }
    return pieces;
}

std::uint32_t below(CounterRandom& random, std::size_t count) {
    return random.below(static_cast<std::uint32_t>(count));
}

/// Inserts a construct that PTX does not have before any token, or replaces the token.
UnknownPart insert_ptx(const std::string& text, CounterRandom& random) {
    const std::vector<PtxPiece> pieces = ptx_pieces(text);
    const std::size_t chosen = below(random, pieces.size());
    const PtxPiece& piece = pieces[chosen];
    UnknownPart part{text, unknown_name(random), {}};
    const std::string& name = part.name;
    // The reader may stop one token later: "unknown { .reg".
    for (std::size_t i = chosen; i < std::min(chosen + 2, pieces.size()); ++i) {
        const auto begin = text.begin() + static_cast<std::ptrdiff_t>(pieces[i].begin);
        part.lines.push_back(std::to_string(1 + std::count(text.begin(), begin, '\n')));
    }
    const std::string token = text.substr(piece.begin, piece.end - piece.begin);
    const bool is_register = token[0] == '%' && token.size() > 1;
    const bool in_code = piece.in_instruction || piece.is_opcode;
    if (random.below(2) == 0 && (token[0] == '.' || (in_code && in_word(token[0])))) {
        const std::size_t dot = token.find('.', 1);
        const std::string modifier = "." + name;
        std::vector<std::string> forms = {token + modifier};
        if (token[0] == '.') forms.push_back(modifier);
        if (is_register) forms.insert(forms.end(), {"%" + name, "%" + name + ".x", name});
        if (in_code && std::isdigit(static_cast<unsigned char>(token[0])) != 0)
            forms = {name, "%" + name, "[" + name + "]"};
        if (in_code && dot != std::string::npos && !is_register &&
            std::isdigit(static_cast<unsigned char>(token[0])) == 0) {
            const std::size_t end = std::min(token.find('.', dot + 1), token.size());
            forms.push_back(token.substr(0, dot) + modifier + token.substr(dot));
            forms.push_back(token.substr(0, dot) + modifier + token.substr(end));
            forms.push_back(token.substr(0, token.rfind('.')) + modifier);
            forms.push_back(name + token.substr(dot));
        }
        part.text.replace(piece.begin, token.size(), forms[below(random, forms.size())]);
    } else {
        std::vector<std::string> forms = {name,
                                          "." + name,
                                          "." + name + " 4",
                                          "." + name + ";",
                                          "%" + name,
                                          ".pragma \"" + name + "\";",
                                          name + ".u32 %r1, %r2;",
                                          "[" + name + "]",
                                          "{" + name + "}",
                                          "(" + name + ")",
                                          "@" + name,
                                          "\"" + name + "\""};
        if (piece.in_instruction) forms.push_back(", " + name);
        // After a type it is a declaration.
        if (chosen > 0 && text[pieces[chosen - 1].begin] != '.') forms.push_back(name + ";");
        part.text.insert(piece.begin, " " + forms[below(random, forms.size())] + " ");
    }
    return part;
}

/// Inserts a construct that no listing of machine code has, in any line except comments.
UnknownPart insert_sass(const std::string& text, CounterRandom& random) {
    std::vector<std::size_t> begins = {0};
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
        if (text[i] == '\n' && text.compare(i + 1, 2, "//") != 0) begins.push_back(i + 1);
    const std::size_t begin = begins[below(random, begins.size())];
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    UnknownPart part{text, unknown_name(random), {}};
    const std::string& name = part.name;
    std::vector<std::string> forms = {line + " " + name,
                                      name + "\n" + line,
                                      "." + name + "\n" + line,
                                      "\t." + name + " 4\n" + line,
                                      name + " = 4\n" + line,
                                      "\t.section ." + name + ",\"a\",@progbits\n" + line,
                                      "/*" + name + "*/ NOP ;\n" + line};
    const std::size_t quote = line.find("@\"");
    if (quote != std::string::npos)
        forms.push_back(line.substr(0, quote + 2) + name + " " + line.substr(quote + 2));
    const std::size_t address = line.find("/*0");
    const std::size_t opcode =
        address == std::string::npos ? address : line.find_first_not_of(" \t", line.find("*/") + 2);
    if (opcode != std::string::npos && line[opcode] != '.' && line.compare(address, 4, "/*0x") != 0) {
        std::size_t at = opcode;
        if (line[at] == '@') at = line.find_first_not_of(' ', line.find(' ', at));
        const std::size_t behind = line.find_first_of(" ;", at);
        const std::size_t dot = std::min(line.find('.', at), behind);
        const std::string before = line.substr(0, at);
        std::vector<std::string> of_code = {before + name + line.substr(dot),
                                            line.substr(0, dot) + "." + name + line.substr(dot),
                                            line.substr(0, behind) + "." + name + line.substr(behind),
                                            line.substr(0, opcode) + "@" + name + " " + line.substr(at),
                                            line.substr(0, opcode) + "@P" + name + " " + line.substr(at),
                                            line.substr(0, opcode) + "@!P" + name + " " + line.substr(at),
                                            before + name + " " + line.substr(at)};
        if (const std::size_t comma = line.find(',', behind); comma != std::string::npos)
            of_code.push_back(line.substr(0, comma) + " " + name + line.substr(comma));
        // An operand of an instruction that decides where the code continues.
        for (const std::string_view control : {"BRA", "RET", "EXIT"}) {
            if (line.compare(at, control.size(), control) != 0) continue;
            of_code.push_back(line.substr(0, behind) + " " + name + "," + line.substr(behind));
            of_code.push_back(line.substr(0, behind) + " !" + name + "," + line.substr(behind));
        }
        forms.insert(forms.end(), of_code.begin(), of_code.end());
    }
    part.text.replace(begin, line.size(), forms[below(random, forms.size())]);
    return part;
}

/// A text with every part that is read.
const char* const whole_ptx = R"TEXT(.version 8.8
.target sm_100a, debug
.address_size 64
.file 1 "a.cu", 1700000000, 512
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .v2 .f32 pairs[4][8];
.visible .const .align 8 .b8 coef[4] = {1, 2, 3, 0xFF};
.global .attribute(.managed) .align 8 .u64 pointers[2] = {generic(coef), coef+4};
.global .texref image;
.weak .global .f32 scale = 0f3F800000, other = -1.5;
.pragma "abi_param_reg 4";
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 list);
.func (.reg .f32 out) half(.reg .f32 in)
{
mul.rn.ftz.f32 out, in, 0f3F000000;
ret;
}
.alias again, half;
.func (.param .b32 out) stop(.param .align 8 .b8 in[16], ...) .noreturn;
.visible .entry k(
.param .u64 .ptr .global .align 16 k_param_0,
.param .align 64 .b8 map[128]
)
.maxntid 256, 1, 1
.minnctapersm 2
.pragma "nounroll";
{
.reg .pred %p<4>;
.reg .b32 %r<20>;
.reg .b64 %rd<9>;
.reg .v2 .f32 %v;
.reg .f32 %f<9>;
.local .align 8 .b8 depot[16];
.shared .b64 arrived;
.shared .align 128 .b8 tile[4096];
.loc 1 5 3
ld.param.u64 %rd1, [k_param_0];
.loc 1 6 1, function_name $L_name+4, inlined_at 1 5 3
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mad.lo.s32 %r2, %ctaid.x, WARP_SZ, %r1;
mul.wide.u32 %rd3, %r2, 4;
add.s64 %rd4, %rd2, %rd3;
ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd4+16];
mov.u32 %r5, -(3 + 4);
setp.lt.u32 %p1|%p2, %r1, 16;
@!%p1 bra $L_end;
call.uni (%f3), half, (%f1);
{
.reg .b32 t;
.param .b64 list;
st.param.b64 [list], %rd4;
mov.b32 t, 0b101U;
add.s32 %r7, t, %r1;
}
$L_loop:
.pragma "nounroll";
fma.rn.f32 %f3, %f1, %f2, 0f3F800000;
vadd.s32.u32.s32.sat %r8, %r2.b0, -%r7.h1, %r1;
shfl.sync.bfly.b32 %r9|%p3, %r8, 16, 31, -1;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd4], 64, [arrived];
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [map, {%r1, %r2}], [arrived];
tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [image, {%f1, %f2}];
atom.global.add.u32 %r10, [%rd4], 1;
st.local.u32 [depot+4], %r10;
mov.b64 %v, {%f1, %f2};
mov.f32 %f1, %v.x;
bar.sync 0;
add.s32 %r5, %r5, 1;
setp.ne.s32 %p1, %r5, 0;
@%p1 bra.uni $L_loop;
targets: .branchtargets $L_loop, $L_end;
prototype: .callprototype (.param .b32 _) _ (.param .b64 _);
functions: .calltargets half, again;
$L_end:
st.global.f32 [%rd4], %f3;
ret;
}
.section .debug_str
{
$L_name:
.b8 107, 0
.b64 $L_name+4
}
)TEXT";

const char* const cuobjdump_listing = R"TEXT(
Fatbin elf code:
================
arch = sm_70
code version = [1,7]
producer = <unknown>

	code for sm_70
		Function : k
	.headerflags	@"EF_CUDA_SM70 EF_CUDA_PTX_SM(EF_CUDA_SM70)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;              /* 0x00000a00ff017624 */
                                                                                        /* 0x000fe400078e00ff */
        /*0010*/                   S2R R0, SR_TID.X ;                                   /* 0x0000000000007919 */
        /*0020*/               @P0 EXIT ;                                               /* 0x000000000000094d */
        /*0030*/                   LDG.E.128.SYS R4, [R2] ;
        /*0040*/                   ISETP.NE.AND P1, PT, R0, RZ, PT ;
        /*0050*/              @!P1 BRA 0x30 ;
        /*0060*/                   RET.REL.NODEC R2 0x0 ;
        /*0070*/                   BRA 0x70;
		......................................
)TEXT";

const char* const nvdisasm_listing =
    R"TEXT(	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
	.elftype	@"ET_EXEC"
	.section	.nv.info,"",@"SHT_CUDA_INFO"
	.align	4
        /*0000*/ 	.byte	0x04, 0x2f
        /*0002*/ 	.short	(.L_9 - .L_8)
.L_8:
        /*0004*/ 	.word	index@(k)
	.section	.text.k,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=12"
	.align	128
        .global         k
        .type           k,@function
        .size           k,(.L_x_2 - k)
        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"
.text.k:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   LDG.E.64 R4, desc[UR6][R2.64] ;
        /*0020*/                   HGMMA.64x128x16.F32 R24, gdesc[UR4], RZ, !UPT ;
        /*0030*/                   UTMALDG.2D [UR8], [UR4] ;
        /*0040*/              @!P0 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
.L_x_2:
	.section	.nv.constant0.k,"a",@progbits
.nv.constant0.k:
	.zero	360
)TEXT";

/// A text with every part that is read.
const char* const whole_model = R"(<am:Amalthea xmlns:am='http://app4mc.eclipse.org/amalthea/1.0.0'
 xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xmi='http://www.omg.org/XMI' xmi:version='2.0' version='1'>
<commonElements><tags name='t'/></commonElements>
<swModel>
<tasks name='Cpu' stimuli='slow? once?' preemption='preemptive' multipleTaskActivationLimit='1' tags='t?'><customProperties key='k'/>
<activityGraph><items xsi:type='am:Group' name='g' ordered='false'>
<items xsi:type='am:RunnableCall' runnable='Before?'><counter prescaler='2' offset='0'/><statistic/></items>
<items xsi:type='am:InterProcessTrigger' stimulus='go?'/>
<items xsi:type='am:WaitEvent' waitingBehaviour='active' maskType='OR'><eventMask events='E?'/></items>
<items xsi:type='am:ClearEvent'><eventMask events='E?'/></items>
<items xsi:type='am:ModeSwitch'><entries name='e'><condition/><items xsi:type='am:RunnableCall' runnable='After?'/></entries>
<defaultEntry/></items><items xsi:type='am:TerminateProcess'/></items></activityGraph></tasks>
<tasks name='Gpu' stimuli='go?'><activityGraph>
<items xsi:type='am:RunnableCall' runnable='Copy?'/><items xsi:type='am:RunnableCall' runnable='Kernel?'/>
<items xsi:type='am:SetEvent' process='Cpu?'><eventMask events='E?'/></items></activityGraph></tasks>
<tasks name='Nowhere' stimuli='slow?'/>
<isrs name='I'><activityGraph/></isrs>
<runnables name='Before' callback='false' service='false'><activityGraph>
<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueStatistics' lowerBound='1' upperBound='9' average='2'/></items>
<items xsi:type='am:LabelAccess' data='L?' access='read'/><items xsi:type='am:ModeLabelAccess' data='M?' access='read'/>
<items xsi:type='am:ChannelSend' data='C?'><transmissionPolicy/></items></activityGraph></runnables>
<runnables name='After'><activityGraph><items xsi:type='am:ProbabilitySwitch'><entries probability='0.5'>
<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueHistogram'><entries lowerBound='1' upperBound='2' occurrences='3'/></default>
</items></entries></items><items xsi:type='am:RunnableCall' runnable='Before?'/></activityGraph></runnables>
<runnables name='Copy'><activityGraph><items xsi:type='am:LabelAccess' data='L?' access='read'/></activityGraph></runnables>
<runnables name='Kernel'><activityGraph><items xsi:type='am:Ticks'><extended key='G?'>
<value xsi:type='am:DiscreteValueConstant' value='100'/></extended></items>
<items xsi:type='am:LabelAccess' data='L?' access='write'/></activityGraph></runnables>
<runnables name='Unused'><activityGraph/></runnables>
<labels name='L' constant='false' bVolatile='false'><size value='2' unit='kB'/></labels><labels name='M'/>
<events name='E'/><channels name='C'/></swModel>
<hwModel><definitions xsi:type='am:ProcessingUnitDefinition' name='G' puType='GPU' features='SMs/n?'/>
<definitions xsi:type='am:ProcessingUnitDefinition' name='D' puType='CPU'/><definitions name='cache'/>
<featureCategories name='SMs' featureType='performance'><features name='n' value='2.0'/><features name='m' value='3'/></featureCategories>
<structures name='S' structureType='System'><structures name='T'>
<modules xsi:type='am:ProcessingUnit' name='Core0' frequencyDomain='F?' definition='D?'><ports name='p'/></modules>
<modules xsi:type='am:ProcessingUnit' name='GP' frequencyDomain='F?' definition='G?'>
<accessElements name='a' destination='b'><dataRate value='4' unit='GBPerSecond'/><readLatency/></accessElements></modules>
<modules xsi:type='am:Memory' name='Mem'/><connections/></structures></structures>
<domains xsi:type='am:FrequencyDomain' name='F' clockGating='false'><defaultValue value='1.0' unit='GHz'/></domains><domains name='P'/></hwModel>
<osModel><operatingSystems name='o'><taskSchedulers name='Os'><schedulingAlgorithm xsi:type='am:FixedPriorityPreemptive'/>
</taskSchedulers><taskSchedulers name='Dr'><schedulingAlgorithm xsi:type='am:UserSpecificSchedulingAlgorithm'/></taskSchedulers>
</operatingSystems><osOverheads/></osModel>
<stimuliModel><stimuli xsi:type='am:PeriodicStimulus' name='slow'><recurrence value='20' unit='ms'/><offset value='0' unit='ms'/>
<minDistance value='1' unit='ms'/></stimuli>
<stimuli xsi:type='am:SingleStimulus' name='once'><occurrence value='3' unit='us'/><executionCondition/></stimuli>
<stimuli xsi:type='am:InterProcessStimulus' name='go'/><stimuli xsi:type='am:EventStimulus' name='never'/></stimuliModel>
<eventModel/><constraintsModel><requirements/></constraintsModel>
<mappingModel addressMappingType='address'>
<schedulerAllocation scheduler='Os?' responsibility='Core0?' executingPU='Core0?'/><schedulerAllocation scheduler='Dr?' responsibility='GP?'/>
<taskAllocation task='Cpu?' scheduler='Os?' affinity='Core0?'><schedulingParameters priority='1'/></taskAllocation>
<taskAllocation task='Gpu?' scheduler='Dr?'><schedulingParameters priority='1'/><parameterExtensions key='k' value='v'/></taskAllocation>
<memoryMapping/></mappingModel></am:Amalthea>)";

}  // namespace

TEST_CASE("unknown parts: task sets") {
    check_unknown_parts(
        R"({"unit":"us","comment":"c","gpu":{"sms":[{"threads":2048,"blocks":32,"shared":1,"registers":1},{}],
            "threads_per_sm":2048,"warp_size":32,"register_unit":256},"kernels":[
            {"name":"a","kind":"copy","time":4,"stream":1},{"blocks":2,"threads":32,"time":9,"period":100,"stream":1},
            {"kind":"cpu","core":1,"time":3,"priority":2,"keeps_core":false}]})",
        insert_member, 1'000,
        [](const std::string& text, std::vector<std::string>&) { netgen::read_tasks_json(text, "t.json"); });
}

TEST_CASE("unknown parts: tables of devices") {
    check_unknown_parts("#source k = a page\ndevice\tcc\tsms\tlat_l1\nOne\t8.6\t4@k\t30?\nTwo\t-\t8\t-\n",
                        insert_word, 1'000, [](const std::string& text, std::vector<std::string>& warnings) {
                            // The text after a key is its meaning and may be arbitrary.
                            for (const auto& source : netgen::read_devices(text, "d.tsv").sources)
                                warnings.push_back(source.second);
                        });
    CHECK(input_error_of([] { netgen::read_devices("#source k = a\n#source k = b\ndevice\n", "d.tsv"); }) ==
          "d.tsv:2: source 'k' appears twice");
}

TEST_CASE("unknown parts: control-flow graphs") {
    check_unknown_parts(
        R"({"name":"n","blocks":[{"id":"a","time":1,"true":["b"],"false":[]},{"id":"b","time":2,"name":"x"}],
                           "root":["a"],"comment":"c"})",
        insert_member, 1'000,
        [](const std::string& text, std::vector<std::string>&) { netgen::read_cfg(text, "g.json"); });
    check_unknown_parts(
        "a 1 b c\nb 2 d\nc 3 d\nd 4 loop=2 d e\ne 5\n", insert_word, 1'000,
        [](const std::string& text, std::vector<std::string>&) { netgen::read_cfg(text, "g.graph"); });
    const auto graph = shared_data("cfg_graphs/depth4test04.graph");
    SKIP_WITHOUT(graph, "cfg_graphs/depth4test04.graph");
    check_unknown_parts(
        file_text(*graph), insert_word, 200,
        [](const std::string& text, std::vector<std::string>&) { netgen::read_cfg(text, "g.graph"); });
}

TEST_CASE("unknown parts: configurations and logs of cuda_scheduling_examiner") {
    check_unknown_parts(
        R"({"name":"n","max_iterations":2,"max_time":1,"cuda_device":0,"sync_every_iteration":true,"comment":"c","benchmarks":[
            {"filename":"timer_spin.so","log_name":"l","label":"a","thread_count":32,"block_count":[1],"data_size":0,"additional_info":5},
            {"filename":"sharedmem_timer_spin.so","thread_count":32,"block_count":1,"additional_info":{"duration":4,"shared_memory_size":4096}},
            {"filename":"multikernel.so","release_time":0.5,"additional_info":[{"kernel_label":"k","duration":3,"block_count":1,
             "thread_count":1,"delay":0.1,"copy_in_count":0}]},
            {"filename":"stream_action.so","thread_count":1,"block_count":1,"additional_info":{"use_null_stream":false,"actions":[
             {"type":"kernel","label":"k","parameters":{"duration":1}},{"type":"synchronize","parameters":{}}]}}]})",
        insert_member, 1'000, read_configuration);
    check_unknown_parts(
        R"({"scenario_name":"s","label":"a","max_resident_threads":4096,"times":[{},{"cpu_times":[0,1]},
            {"kernel_name":"k","block_count":1,"cuda_launch_times":[0,1,2],"block_times":[1,2],"block_smids":[0]}]})",
        insert_member, 1'000, [](const std::string& text, std::vector<std::string>&) {
            netgen::read_examiner_log(text, "l.json");
        });
    const auto config = shared_data("measurements/tx2_scenario1/rta_config.json");
    SKIP_WITHOUT(config, "measurements/tx2_scenario1/rta_config.json");
    check_unknown_parts(file_text(*config), insert_member, 200, read_configuration);
}

TEST_CASE("unknown parts: PTX") {
    check_unknown_parts(whole_ptx, insert_ptx, 4'000, read_machine_code);
    for (const std::string_view file :
         {"features.sm_90.ptx", "features2.sm_80.ptx", "radix_count.sm_75.ptx", "voronoi.sm_80.ptx"}) {
        const auto path = shared_data("ptx/" + std::string(file));
        SKIP_WITHOUT(path, "ptx");
        check_unknown_parts(file_text(*path), insert_ptx, 100, read_machine_code);
    }
}

TEST_CASE("unknown parts: listings of machine code") {
    for (const char* const listing : {cuobjdump_listing, nvdisasm_listing})
        check_unknown_parts(listing, insert_sass, 4'000, read_machine_code);
}

TEST_CASE("unknown parts: AMALTHEA models") {
    check_unknown_parts(
        whole_model, insert_xml, 2'000, read_model,
        {"t", "Nowhere", "I", "Unused", "M", "E", "C", "cache", "m", "p", "Mem", "P", "never"});
    const auto model = shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(model, "measurements/mobstr_original.amxmi");
    std::string text = file_text(*model);
    std::replace(text.begin(), text.end(), '"', '\'');
    std::set<std::string> left_out;  // caches and memories, the labels that only cores use, and the like
    for (std::size_t at = 0; (at = text.find(" name='", at)) != std::string::npos; ++at)
        left_out.insert(text.substr(at + 7, text.find('\'', at + 7) - at - 7));
    check_unknown_parts(text, insert_xml, 100, read_model, left_out);
}
