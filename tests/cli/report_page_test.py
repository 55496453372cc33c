"""Opens a page of `warpnet report` in headless Chromium, clicks through it and takes a screenshot.

report_page_test.py WARPNET FOLDER: makes pages and screenshots in FOLDER. Exit code 77: no browser here.
"""
import json
import pathlib
import subprocess
import sys

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: Selenium for Python is not installed (Debian: python3-selenium)")
    sys.exit(77)
if not pathlib.Path("/usr/bin/chromedriver").exists():
    print("skipped: ChromeDriver is not installed (Debian: chromium-driver)")
    sys.exit(77)

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def warpnet(*arguments):
    subprocess.run([program, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def expect(condition, message):
    if not condition:
        sys.exit("failed: " + message)


options = webdriver.ChromeOptions()
for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--window-size=1300,1600"):
    options.add_argument(flag)
options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
browser = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)


def open_page(name):
    browser.get((folder / name).resolve().as_uri())
    WebDriverWait(browser, 60).until(lambda b: b.execute_script("return document.body.dataset.ready") == "yes")
    errors = [entry["message"] for entry in browser.get_log("browser")]
    expect(not errors, f"{name}: the browser says {errors}")
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            address = message["params"]["request"]["url"]
            expect(address.startswith(("file:", "data:")), f"{name} asks for {address}")


def click(element):
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'});"
                           "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", element)


def text(identifier):
    return browser.find_element(By.ID, identifier).text


def content(identifier):
    """The text of an element that may be folded away."""
    return browser.find_element(By.ID, identifier).get_attribute("textContent")


def view_box():
    return [float(x) for x in browser.find_element(By.CSS_SELECTOR, "#picture svg").get_dom_attribute("viewBox").split()]


def is_seen(element):
    """Whether the middle of an element of the picture lies within its pane."""
    return browser.execute_script(
        "const b = arguments[0].getBoundingClientRect(), p = document.getElementById('picture').getBoundingClientRect();"
        "const x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;"
        "return p.left <= x && x <= p.right && p.top <= y && y <= p.bottom;", element)


def outside_width():
    """The nodes of the picture that lie left or right of its pane."""
    return browser.execute_script(
        "const p = document.getElementById('picture').getBoundingClientRect();"
        "return [...document.querySelectorAll('#picture .node.known')].filter((node) => {"
        "  const b = node.getBoundingClientRect(); return b.left < p.left - 1 || b.right > p.right + 1; }).map((node) => node.id);")


def at_width(pixels, dark=False):
    """Imitates a phone or a screen of this width, light or dark."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": pixels < 500})
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def expect_no_sideways_scrolling(name):
    wide = browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    expect(wide <= 0, f"{name}: the page is {wide} pixels too wide")


def painted(canvas):
    """Pixels of a canvas that are not empty."""
    return browser.execute_script(
        "const c = document.getElementById(arguments[0]); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n;", canvas)


try:
    warpnet("generate", "kernel", "--string", "LCL", "--warps", "4", "--units", "C=1,L=1", "-o", "kernel.pnml")
    warpnet("report", "kernel.pnml", "--runs", "100", "-o", "kernel.html")
    open_page("kernel.html")
    expect(browser.title == "kernel", "the page has the name of the file: " + browser.title)
    shown = [link.text for link in browser.find_elements(By.CSS_SELECTOR, "nav a")]
    expect(shown == ["Net", "Schedule", "Distribution of step counts", "Convergence of the search"], f"sections: {shown}")
    expect("9\nlongest run, steps, exact" in text("tiles"), "the worst case of the example is 9")

    expect("The longest run takes exactly 9 steps. Machine: no limit of schedulers. 100 runs" in text("overview"), "the page's text says so: " + text("overview"))

    click(browser.find_element(By.ID, "w1_pc_0"))
    expect("w1_pc_0" in text("node") and "input of w1_i1_L" in text("node"), "a click on a place shows its arcs")
    expect(text("at") == "step 0 of 9", "the schedule begins before its first step")
    for _ in range(9):
        click(browser.find_element(By.ID, "forward"))
    expect(text("at") == "step 9 of 9", "the schedule ends at its last step")
    for warp in range(1, 5):
        expect(f"w{warp}_pc_3" in content("marking"), f"warp {warp} is at its end: " + content("marking"))
    expect("What the step changed\nplace before after change\n" in text("changes"), "a table of changes: " + text("changes"))
    click(browser.find_element(By.XPATH, "//*[@id='gantt']//*[local-name()='title' and starts-with(., 'step 1: ')]/.."))
    expect(text("at") == "step 1 of 9", "a click on a cell goes to its step")
    expect(browser.find_elements(By.CSS_SELECTOR, ".node .fires"), "what fires is filled")
    for canvas in ("histogram", "convergence"):
        expect(painted(canvas) > 1000, f"the {canvas} is painted")
        expect(browser.find_element(By.ID, canvas).get_attribute("aria-label"), f"the {canvas} says what it shows")

    # The picture has the width of its frame, zooms, moves, and finds searched nodes.
    expect(outside_width() == [], f"all of the picture's width is seen at first, not that of {outside_width()}")
    zoom_in, zoom_out, fit = browser.find_elements(By.CSS_SELECTOR, "#net_controls button")
    click(fit)
    whole = view_box()
    place = browser.find_element(By.ID, "w4_pc_3")
    expect(is_seen(place), "all of the picture is seen")
    pane = browser.find_element(By.ID, "picture").size
    expect(pane["height"] <= max(240, pane["width"] * whole[3] / whole[2]) + 4, f"its frame is no higher than it: {pane}, {whole}")
    for _ in range(8):
        click(zoom_in)
    expect(view_box()[2] < whole[2] / 8, f"zoomed in: {view_box()}")
    before = view_box()
    browser.find_element(By.ID, "picture").send_keys(Keys.ARROW_LEFT)
    expect(view_box()[0] < before[0], "an arrow key moves the picture")
    for key, moved in (("s", lambda old, new: new[2] > old[2]), ("w", lambda old, new: new[2] < old[2]),
                       ("d", lambda old, new: new[0] > old[0]), ("a", lambda old, new: new[0] < old[0])):
        before = view_box()
        browser.find_element(By.ID, "picture").send_keys(key)
        expect(moved(before, view_box()), f"the key {key} acts as in Perfetto: {before}, {view_box()}")
    field = browser.find_element(By.ID, "find")
    for name in ("w4_pc_3", "w1_pc_0"):
        field.clear()
        field.send_keys(name.upper(), Keys.ENTER)
        expect(text("node").startswith(name) and is_seen(browser.find_element(By.ID, name)), name + " is found and shown")
    field.clear()
    field.send_keys("nowhere", Keys.ENTER)
    expect(text("find_result") == "no node of this name", "a missing node is reported")
    click(fit)
    expect(view_box() == whole, "and all of it again")
    click(browser.find_element(By.ID, "axis"))
    expect("iterations" in text("axis"), "the convergence changes its axis")
    browser.save_screenshot(str(folder / "kernel.png"))

    # Immediate transitions after the last timed step: the join of the fork takes no time.
    (folder / "cfg.json").write_text(json.dumps({"root": ["b1"], "blocks": [
        {"id": "b1", "time": 2, "true": ["b2"], "false": ["b3"]}, {"id": "b2", "time": 3}, {"id": "b3", "time": 1}]}))
    warpnet("generate", "cfg", "cfg.json", "--units", "2", "--split", "b1", "-o", "cfg.pnml")
    warpnet("report", "cfg.pnml", "--runs", "0", "-o", "cfg.html")
    open_page("cfg.html")
    expect(text("at") == "step 0 of 5", "two steps and the longer side: " + text("at"))
    for _ in range(5):
        click(browser.find_element(By.ID, "forward"))
    expect("b1_join" in text("fired"), "the last step ends with the join: " + text("fired"))
    expect("end" in content("marking").split(", "), "the run ends: " + content("marking"))

    # An animation plays, pauses, and moves step by step.
    warpnet("run", "cfg.pnml", "--trace", "cfg.csv")
    warpnet("draw", "cfg.pnml", "--trace", "cfg.csv", "-o", "film.svg")
    browser.get((folder / "film.svg").resolve().as_uri())
    pause, on, back = (browser.find_element(By.ID, name) for name in ("pause", "on", "back"))
    time_of_film = lambda: browser.execute_script("return document.documentElement.getCurrentTime()")
    shown_step = lambda: [t.text for t in browser.find_elements(By.CSS_SELECTOR, "#progress text") if t.is_displayed()]
    press = lambda button: browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", button)
    press(pause)
    stopped = time_of_film()
    expect(browser.execute_script("return document.documentElement.animationsPaused()"), "the film is paused")
    seen = []
    for _ in range(3):
        press(on)
        seen.append(time_of_film())
    expect(seen[1] > seen[0] and abs(seen[2] - 2 * seen[1] + seen[0]) < 1e-3, f"frames follow one another: {seen}")
    press(back)
    expect(time_of_film() == seen[1], "and back")
    browser.save_screenshot(str(folder / "film.png"))

    # A bracket next to the histogram, and a Gantt chart whose columns are several steps.
    warpnet("generate", "warps", "--warps", "8", "--schedulers", "2", "--arith", "150", "--global", "1", "-o", "starved.pnml")
    warpnet("report", "starved.pnml", "--runs", "50", "--time-limit", "3m", "-o", "starved.html")
    open_page("starved.html")
    expect("The longest run takes exactly 2,208 steps. Machine: " in text("overview"), text("overview"))
    expect(painted("histogram") > 1000, "the histogram is painted")
    ticks = browser.execute_script("return charts.drawn[0].scales.x.ticks.map((tick) => tick.label)")
    expect(ticks[-1] == "2,208" and all(int(tick.replace(",", "")) % 10 == 0 for tick in ticks[:-1]),
           f"round ticks, and the worst case beyond a break of the axis: {ticks}")
    gantt = browser.find_element(By.ID, "gantt")
    inside = lambda: browser.execute_script("const g = arguments[0]; return [g.scrollLeft, g.scrollWidth]", gantt)
    whole = inside()
    gantt.send_keys("w", "w", "d")
    expect(inside()[1] > whole[1] and inside()[0] > whole[0], f"w enlarges the schedule and d moves it: {inside()}")
    gantt.send_keys("a", "0")
    expect(inside() == whole, f"0 shows all of the schedule: {inside()}")
    chosen = browser.find_element(By.XPATH, "//*[@id='gantt']//*[local-name()='title' and starts-with(., 'steps ')]/..")
    first = chosen.find_element(By.XPATH, "*[local-name()='title']").get_attribute("textContent").split()[1].split("-")[0]
    click(chosen)
    expect(text("at").startswith(f"step {first} of "), "a click on a column goes to its first step: " + text("at"))
    expect("now" in chosen.get_attribute("class"), "the column of the step is outlined")
    browser.save_screenshot(str(folder / "starved.png"))

    (folder / "fit.json").write_text(json.dumps({"count": 3, "pearson": 0.5, "rows": [
        {"kernel": name, "steps": 1, "measured": x, "predicted": y, "error": 0} for name, x, y in
        (("b", 10, 12), ("c</script>", 1, 1), ("a", 100, 80))]}))
    warpnet("report", "--compare", "fit.json", "-o", "fit.html")
    open_page("fit.html")
    expect(painted("scatter") > 1000, "the scatter plot is painted")
    click(browser.find_element(By.CSS_SELECTOR, "#points th button"))
    names = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#points td:first-child")]
    expect(names == ["a", "b", "c</script>"], f"a click on a heading sorts: {names}")
    browser.save_screenshot(str(folder / "fit.png"))

    # On a phone, and with the dark theme.
    at_width(1000)
    open_page("starved.html")
    expect(browser.execute_script("const g = document.getElementById('gantt'); return g.scrollWidth <= g.clientWidth"), "the Gantt chart fits at first")
    for page in ("kernel", "cfg", "starved", "fit"):
        for pixels, dark in ((400, False), (400, True), (1400, True)):
            at_width(pixels, dark)
            open_page(page + ".html")
            expect_no_sideways_scrolling(f"{page} at {pixels}")
            expect(outside_width() == [], f"{page} at {pixels}: the picture is cut at {outside_width()[:3]}")
            ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
            expect((ground == "rgb(18, 22, 27)") == dark, f"{page}: the ground is {ground}")
            browser.save_screenshot(str(folder / f"{page}_{pixels}{'_dark' if dark else ''}.png"))
finally:
    browser.quit()
print("the pages work")
