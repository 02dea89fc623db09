"""Cells of tables."""

from __future__ import annotations

import datetime
import io

import pytest

from innermost.files.tables import CSV, table_writer


def test_dates_have_no_quotes_of_their_own() -> None:
    sink = io.BytesIO()
    with table_writer(sink, CSV, lambda key: None) as write:
        write([{"day": datetime.date(2020, 1, 2), "list": ["a"], "flag": True, "text": '"q"'}])
    assert sink.getvalue().decode() == 'day,list,flag,text\n2020-01-02,"[""a""]",true,"""q"""\n'


def test_an_error_leaves_the_sink_open() -> None:
    sink = io.BytesIO()
    with pytest.raises(ValueError, match="mine"), table_writer(sink, CSV, lambda key: None):
        raise ValueError("mine")
    assert not sink.closed
