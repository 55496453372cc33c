#!/usr/bin/env python3
"""Screenshots of the page of `warpnet report` for the documentation, by headless Chromium.

screenshots.py WARPNET [FOLDER]: writes report_light.png, report_dark.png and report_phone.png (default: next to this script), of the
page of the net on the first page of the project. It needs python3-selenium and chromium-driver.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

NET = ["--warps", "4", "--schedulers", "2", "--arith", "20", "--shared", "5", "--global", "2"]
# name: width and height in pixels, scheme, the section at the top
VIEWS = {"report_light": (1000, 700, "light", "overview"), "report_dark": (1000, 560, "dark", "schedule"),
         "report_phone": (400, 760, "light", "net")}


def page_of(program, folder):
    def warpnet(*arguments):
        subprocess.run([program, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    warpnet("generate", "warps", *NET, "-o", "four.pnml")
    warpnet("report", "four.pnml", "--runs", "1000", "-o", "four.html")
    return (folder / "four.html").as_uri()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent
    options = webdriver.ChromeOptions()
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    browser = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)
    with tempfile.TemporaryDirectory() as work:
        page = page_of(Path(sys.argv[1]).resolve(), Path(work))
        try:
            for name, (width, height, scheme, section) in VIEWS.items():
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                browser.get(page)
                WebDriverWait(browser, 60).until(lambda b: b.execute_script("return document.body.dataset.ready") == "yes")
                browser.execute_script("document.querySelector('header').style.position = 'static';"
                                       "const section = document.getElementById(arguments[0]);"
                                       "if (arguments[0] !== 'overview') scrollTo(0, section.getBoundingClientRect().top + scrollY - 8);", section)
                browser.save_screenshot(str(folder / f"{name}.png"))
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
