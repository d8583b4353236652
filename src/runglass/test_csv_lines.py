import csv
import io

from runglass.csv_lines import csv_writer


def test_every_text_comes_back_and_lines_end_with_lf():
    rows = [["plain", "a,b", 'say "x"'], ["two\nlines", "carriage\rreturn", "both\r\n"], ["", "é", "%"]]
    out = io.StringIO()
    csv_writer(out).writerows(rows)
    text = out.getvalue()
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows
    assert text.startswith('plain,"a,b","say ""x"""\n"two\nlines","carriage\rreturn",')
