"""Numbers are the same however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.check.numbers.values import missing, numbers_in
from tests.counting import grows_in_proportion


def lost(said: str, there: str) -> list[str]:
    return [one.written for one in missing(numbers_in(said), numbers_in(there))]


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("1,000 files", "1000 files"),
        ("1 000", "1'000"),
        ("0.50", ".5 is 0.5"),
        ("5 ms", "five milliseconds"),
        ("5ms", "5 milliseconds"),
        ("50 percent", "50%"),
        ("10k tokens", "10,000 tokens"),
        ("1.5 million", "1500000"),
        ("January 5, 2024", "2024-01-05"),
        ("5 Jan 2024", "January 5th, 2024"),
        ("in 2024", "on 2024-01-05"),
        ("3 to 5 days", "3–5 days"),
        ("version 1.2", "v1.2.3"),
        ("v1.2.3", "1.2.3"),
        ("twice", "2 times"),
        ("30 seconds", "a 30-second limit"),
        ("after 30", "after 30 days"),
        ("$5", "5 dollars"),
        ("a 3x gain", "3 times"),
        ("7M euros", "7 million euros"),
        ("€7M", "7 million euros"),
        ("$1.2bn", "$1.2 billion"),
        ("5 USD", "$5"),
        (".5 percent", "0.5 percent"),
        ("25", "twenty-five"),
        ("twenty five", "25"),
        ("120", "One hundred and twenty"),
        ("two thousand five hundred", "2,500"),
        ("twenty-first", "21st"),
        ("5 pounds", "£5"),
        ("5m", "5 minutes"),
        ("minus 40", "-40"),
        ("10-40", "10 to 40"),
        ("a loss of 40%", "it was -40%"),
        ("fell by 40", "-40"),
        ("covid-19", "19 cases"),
        ("30 seconds", "a thirty-second timeout"),
        ("thirty seconds", "a thirty-second timeout"),
        ("60 s", "a sixty second window"),
        ("22nd", "the twenty-second floor"),
        ("100 seconds", "a one hundred second timeout"),
        ("30 graders", "thirty second graders came"),
        ("100 to 200", "between one hundred and two hundred files"),
        ("100 to 2,500", "one hundred and twenty-five hundred"),
        ("1 million to 2 million", "between one million and two million users"),
        ("100,000 and 200,000", "one hundred thousand and two hundred thousand"),
        ("500 and 6,000", "five hundred and six thousand"),
        ("506,000", "five hundred and six thousand"),
        ("five hundred and six thousand", "500 and 6,000"),
        ("1,002,000", "one million and two thousand"),
        ("1 billion", "one thousand million"),
        ("100 lines", "it runs tail -100 app.log"),
        ("signal 9", "send kill -9 to it"),
        ("the 5 newest", "`git log --max -5` prints them"),
        ("level 9", "use `gzip is -9` to compress"),
        ("8080", "the port is ${PORT:-8080}"),
        ("5 files", "of these:\n-5 files"),
        ("a discount of 20%", "the price is at -20% in May"),
        ("20% off", "Sale: -20%"),
        ("you save 20 €", "Price: -20 €"),
        ("es sind 5 Grad Frost", "it is at -5 degrees"),
        ("5 grader", "det är: -5 grader"),
        ("5 градусов", "ночью: -5 градусов"),
        ("5 Grad unter null", "in der Nacht sind es: -5 Grad"),
        ("une baisse de 5 %", "une évolution de -5 %"),
        ("512 MiB", "512Mi of memory"),
        ("4 KiB", "4Ki"),
        ("2 GB", "mem_limit: 2g"),
        ("2 GiB", "shm_size: 2G"),
        ("2 Gi", "2 GB"),
        ("10 GB", "max_size=10g"),
        ("10 grams", "10g"),
        ("8 MB", "client_max_body_size 8M"),
        ("8 MB", "client_max_body_size 8m"),
        ("8 million", "8M users"),
        ("429, 500 and 502", "codes 429,500,502"),
        ("429, 500 and 502", "codes 429 500 502"),
        ("123456789", "123,456,789 users"),
        ("443 and 993", "open ports: 443,993"),
        ("255", "rgb(255,165,100)"),
        ("1,000", "limit(1,000)"),
        ("3 and 4", "steps 3,4"),
        ("12 users", "At most 12 may run"),
        ("5 users", "5 MAY connect"),
        ("May 5, 2024", "5 may 2024"),
        ("1,000,000", "MAX = 1_000_000"),
        ("5000 ms", "Duration.ofMillis(5_000L)"),
        ("0.00001", "eps = 1e-5"),
        ("2", "API v2"),
        ("version 1.27", "Kubernetes v1.27"),
        ("1.27", "Kubernetes v1.27"),
        ("version 2", "version 2.0"),
        ("version 2.0", "version 2"),
        ("Python 3.10", "3.10 and newer"),
        ("1 hour and 30 minutes", "wait 1h30m"),
        ("2 minutes and 30 seconds", "timeout: 2m30s"),
        ("$5 million", "US$5 million"),
        ("20 dollars", "A$20 per user"),
        ("$1.5 trillion", "$1.5T"),
        ("1.5 TB", "1.5T"),
        ("£3 million", "£3m"),
        ("10 million", "10m readers"),
        ("10 million", "10 m readers"),
        ("7 billion", "7b parameters"),
        ("5 dollars", "USD 5"),
        ("5 USD and 10 €", "5 USD 10 EUR"),
        ("100", "A hundred users"),
        ("1,000", "a thousand messages"),
        ("120", "a hundred and twenty"),
        ("500,000", "half a million people"),
        ("$500 million", "half a billion dollars"),
        ("6", "half a dozen"),
        ("24", "two dozen eggs"),
        ("2.5 years", "two and a half years"),
        ("2.5 years", "2½ years"),
        ("2.5 million", "2 and a half million"),
        ("December 31, 2024", "12/31/2024"),
        ("5 June 2024", "05/06/2024"),
        ("May 6, 2024", "05/06/2024"),
        ("2024-12-31", "31.12.2024"),
        ("31. Dezember 2024", "31.12.2024"),
        ("2024/12/31", "2024-12-31"),
        ("5 Mio. Euro", "5 Millionen Euro"),
        ("3 Milliarden Euro", "3 Mrd. Euro"),
        ("5 millions d'euros", "5 000 000 d'euros"),
        ("0.5 percent", "0,5 %"),
        ("1.250.000", "1,250,000"),
        ("1,250,000", "1.250.000 Einwohner"),
        ("1500 Liter", "die Kapazität ist 1.500 Liter"),
        ("1234.56", "1.234,56"),
        ("1234567.8", "1.234.567,8"),
        ("1.2.3 and 1.2.4", "1.2.3,1.2.4"),
        ("100,000", "₹1,00,000"),
        ("26.2 miles", "26.2 Mi."),
        ("opens at 10:00", "at 10"),
        ("with option 4", "ping [-4] [-6]"),
    ],
)
def test_what_is_written_otherwise_is_the_same_number(said: str, there: str) -> None:
    assert lost(said, there) == []


@pytest.mark.parametrize(
    ("said", "there", "expected"),
    [
        ("40 days", "30 days", ["40 days"]),
        ("5 minutes", "5 seconds", ["5 minutes"]),
        ("5%", "5 days", ["5%"]),
        ("January 6, 2024", "2024-01-05", ["January 6, 2024"]),
        ("1.2.4", "1.2.3", ["1.2.4"]),
        ("10,000", "1,000", ["10,000"]),
        ("seven", "three", ["seven"]),
        ("1.5 billion", "1.5 million", ["1.5 billion"]),
        ("0.05", "0.5", ["0.05"]),
        ("40 degrees", "runs at -40 degrees", ["40"]),
        ("at -40 degrees", "at 40 degrees", ["40"]),
        ("£5", "$5", ["£5"]),
        ("€5", "£5", ["€5"]),
        ("57 miles", "57 km", ["57 miles"]),
        ("57 m", "57 km", ["57 m"]),
        ("12,000 g", "12,000 kg", ["12,000 g"]),
        ("12,000 tonnes", "12,000 kg", ["12,000 tonnes"]),
        ("12,000 lbs", "12,000 kg", ["12,000 lbs"]),
        ("twenty", "twenty-five", ["twenty"]),
        ("One hundred", "One hundred and twenty", ["One hundred"]),
        ("31 seconds", "a thirty-second timeout", ["31 seconds"]),
        ("3 million", "between one million and two million", ["3 million"]),
        ("10200", "one hundred and two hundred", ["10200"]),
        ("returns 1", "it returns -1", ["1"]),
        ("40 degrees", "temperature: -40 degrees", ["40"]),
        ("40 degrees", "| low | -40 |", ["40"]),
        ("40 degrees", "naïve, but it is at -40 and that is the end", ["40"]),
        ("the offset is 5", "the office offers offset=-5", ["5"]),
        ("5 mi", "5Mi", ["5 mi"]),
        ("10 kg", "10g", ["10 kg"]),
        ("10 MB", "10g", ["10 MB"]),
        ("10 minutes", "10g", ["10 minutes"]),
        ("5 Grad", "in der Nacht sind es: -5 Grad", ["5"]),
        ("Python 3.1", "Python 3.10", ["3.1"]),
        ("Needs Python 3.1", "python3.10", ["3.1"]),
        ("section 3.10", "see section 3.1", ["3.10"]),
        ("5 %", "ein Satz von 2,5 %", ["5 %"]),
        ("1,5 Liter", "die Kapazität ist 1.500 Liter", ["1,5"]),
        ("503 users", "429,503 users", ["503"]),
        ("567 users", "1,234,567 users", ["567"]),
        ("2000000", "half a million users", ["2000000"]),
        ("3 May", "3 may run", ["3 May"]),
        ("7 June 2024", "05/06/2024", ["7 June 2024"]),
        ("10 km", "10m readers", ["10 km"]),
        ("2", "two thouſand and 3", []),
        ("has 2 levels", "h2 cache, three levels", ["2"]),
        ("with 8 workers", "w8, workers = 2", ["8"]),
        ("Section 3", "stored in s3, see section 5", ["3"]),
    ],
)
def test_another_number_or_unit_is_missing(said: str, there: str, expected: list[str]) -> None:
    assert lost(said, there) == expected


@pytest.mark.parametrize(
    "text", ["utf8", "gpt-4o", "x2", "sha256sum", "a_1", "v", "L3C4", "MiniLM6"]
)
def test_digits_in_names_are_no_numbers_unless_they_are_asked_for(text: str) -> None:
    assert numbers_in(text) == ()
    found = numbers_in(f"{text} and {text}", names=True)
    letters = {one.value.split()[0] for one in found}
    assert letters <= {f"#{one}" for one in "utf gpt x sha a l c minilm".split()}
    assert bool(found) is any(map(str.isdigit, text))


@given(st.text(alphabet="0123456789.,-% dvkMmay\u00a0$/:v_'e½", max_size=80))
def test_any_text_has_the_numbers_of_its_names_as_well(text: str) -> None:
    assert missing(numbers_in(text), numbers_in(text, names=True)) == ()


@given(st.text(alphabet="0123456789.,-% kMmay\u00a0$/:v", max_size=80))
def test_any_text_has_numbers_that_it_has_itself(text: str) -> None:
    assert lost(text, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "ſix",
        "sİx",
        "5 ſept 2020",
        "ſeptember 5",
        "5 m\u0130o",
        "two thouſand men",
        "one m\u0131llion",
    ],
)
def test_letters_that_only_count_as_ours_where_case_is_ignored_are_no_error(text: str) -> None:
    assert lost("7", f"{text} 7") == []
    assert lost(text, text) == []


@given(st.integers(0, 10**15))
def test_separators_change_no_number(number: int) -> None:
    assert lost(f"{number:,}", str(number)) == lost(str(number), f"{number:,}") == []


@pytest.mark.parametrize(
    "text",
    [
        *("1", "1,000", "1.", "may ", "1 000 ", "v1.", "$", "-1 ", " -", "twenty-five "),
        *("one hundred and ", "one thousand two hundred ", "one hundred and two thousand "),
        *("one million and two million ", "`-1", "`-1` ", "thirty-second ", "is -1 der "),
        *("429,500,", "1.500,", "1_000", "1e5", "½", "5 Mio. ", "half a million ", "5/6/2024 "),
        *("1h30m", "by 5 less ", "Fig 3.10, ", "fell 5. ", "a hundred and a half ", "x5 ", "1.1,"),
    ],
)
def test_hostile_repetition_takes_time_in_proportion(text: str) -> None:
    assert grows_in_proportion(lambda size: numbers_in(text * (size // len(text))), 5_000)


@given(st.integers(1, 999), st.sampled_from(["", " thousand", " million"]))
def test_a_number_in_words_is_its_digits(number: int, scale: str) -> None:
    ones = (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    )
    small = [*ones.split(), "sixteen", "seventeen", "eighteen", "nineteen"]
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    rest = number % 100
    words = small[rest - 1] if 0 < rest < 20 else tens[rest // 10 - 2] if rest else ""
    words += f"-{small[rest % 10 - 1]}" if rest > 20 and rest % 10 else ""
    if number >= 100:
        words = f"{small[number // 100 - 1]} hundred{' and ' if rest else ''}{words}"
    there = f"{number * {'': 1, ' thousand': 1000, ' million': 10**6}[scale]} sheep"
    assert lost(f"{words}{scale} sheep", there) == lost(there, f"{words}{scale} sheep") == []
