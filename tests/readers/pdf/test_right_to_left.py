"""Words of lines from right to left that a browser prints."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pincite.readers.pdf.extract import extract_pdf
from tests.readers.pdf.files import texts
from tests.time_limits import HANGS_S

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LINES = {
    "ar": (
        "شجرة النخيل تحتاج إلى الماء، يُضاف السماد العضوي شتاءً قبل الزراعة.",
        "شكراً جزيلاً لكم على دعمكم، وأهلاً وسهلاً بالضيوف في مدينة دبي.",
        "صدر الإصدار 2.5 من برنامج Pincite في عام 2024 وله 37 ميزة جديدة.",
        "كِتابٌ مفيدٌ جدّاً للطالبِ المجتهدِ (الطبعة الثالثة).",
        "إذا أردت زرع الورد أو الأرز، دارَ رُوّادُ الدار دورةً واحدةً.",
    ),
    "he": (
        "הַמָּסִיק שֶׁל הַזֵּיתִים מַתְחִיל בַּסְּתָו, בְּרֵאשִׁית בָּרָא אֱלֹהִים.",
        "הגרסה 3.1 של Pincite יצאה בשנת 2024 עם 12 תכונות חדשות.",
        "שָׁלוֹם עֲלֵיכֶם, מַה שְּׁלוֹמְךָ הַיּוֹם?",
    ),
    "fa": ("این کتاب را برای دوستانِ خود در تهران خریدم و ۲۵ روز خواندم.",),
}


@pytest.fixture(scope="module")
def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    return found


@pytest.mark.parametrize("font", ["serif", "DejaVu Sans", "DejaVu Sans Mono"])
@pytest.mark.parametrize("size", [9, 24])
def test_words_of_a_printed_page_are_those_of_the_page(
    browser: str, tmp_path: Path, font: str, size: int
) -> None:
    """Letters with marks, ligatures and spaces are painted one by one."""
    lines = [(language, line) for language, some in LINES.items() for line in some]
    if "Mono" in font:  # its brackets have wide gaps on their inner side
        lines = [(language, re.sub(r"[()]", "", line)) for language, line in lines]
    body = "".join(f"<p lang={language}>{line}</p>" for language, line in lines)
    style = f"body {{ font-family: '{font}', serif; font-size: {size}pt }}"
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    head = f'<html dir="rtl"><meta charset="utf-8"><style>{style}</style>'
    page.write_text(f"{head}{body}", encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command = [browser, *options, f"--user-data-dir={tmp_path}/profile"]
    command += [f"--print-to-pdf={printed}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=HANGS_S)
    found = " ".join(texts(extract_pdf(printed.read_bytes()))).split()
    assert found == [word for _, line in lines for word in line.split()]
