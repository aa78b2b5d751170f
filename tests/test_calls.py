"""Identity of tool calls: the fourteen ways of atlas 2.1.4, and what holds for all of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.calls import Balance, Call, CallRouter

Fragment = tuple[int | None, str | None, str | None, str | None]


def routed(*fragments: Fragment) -> list[tuple[str | None, str | None, str]]:
    """Id, name and arguments of each call that (index, id, name, arguments) lead to. Names: the first wins, as in the assembler."""
    router = CallRouter()
    for index, id, name, args in fragments:
        call = router.route(index, id or None, name or None, args)
        if call is not None:
            call.name = call.name or name or None
            call.pieces += [args] if args else []
    return [(call.id, call.name, "".join(call.pieces)) for call in router]


# -- the variants of atlas 2.1.4 -----------------------------------------------------------------------------------


def test_i_index_alone_continues():
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", ""), (0, None, None, '{"x":'), (0, None, None, "1}"))


def test_ii_id_and_name_are_repeated_on_each_fragment():
    """A4"""
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", "{"), (0, "a", "f", '"x":'), (0, "a", "f", "1}"))


@pytest.mark.parametrize("nothing", ["", None])
def test_iii_empty_id_and_name_are_none(nothing):
    """A8, D8"""
    assert [("a", "f", "{}")] == routed((0, "a", "f", ""), (0, nothing, nothing, "{"), (0, nothing, nothing, "}"))


def test_iv_no_index_but_an_id_on_each():
    assert [("a", "f", "{}"), ("b", "g", "{}")] == routed(
        (None, "a", "f", "{"), (None, "a", None, "}"), (None, "b", "g", "{"), (None, "b", None, "}")
    )


def test_v_neither_index_nor_id_on_continuation():
    """A2"""
    assert [("a", "f", "{}")] == routed((None, "a", "f", "{"), (None, None, None, "}"))


def test_vi_constant_index_with_distinct_ids():
    """A1"""
    assert [("a", "f", "{}"), ("b", "g", '{"y":2}')] == routed((0, "a", "f", "{}"), (0, "b", "g", '{"y":2}'))


def test_vi_constant_index_and_the_same_name():
    assert [("a", "f", "{}"), ("b", "f", '{"y":2}')] == routed((0, "a", "f", "{}"), (0, "b", "f", '{"y":2}'))


def test_vi_constant_index_announced_without_arguments():
    """A1: the second announcement looks like an echo until its arguments come"""
    assert [("a", "f", "{}"), ("b", "f", '{"y":2}')] == routed(
        (0, "a", "f", "{}"), (0, "b", "f", ""), (0, None, None, '{"y"'), (0, None, None, ":2}")
    )
    assert [("a", "f", "{}"), ("b", "f", '{"y":2}')] == routed(
        (0, "a", "f", "{}"), (0, "b", "f", ""), (0, "b", None, '{"y"'), (0, "b", None, ":2}")
    )


def test_vi_calls_that_interleave_on_one_index_are_told_by_their_ids():
    assert [("a", "f", "{}"), ("b", "f", "[]")] == routed(
        (0, "a", "f", "{"), (0, "b", "f", "["), (0, "a", None, "}"), (0, "b", None, "]")
    )


@pytest.mark.parametrize("indices", [(1, 2), (3, 7), (-1, 0), (5, 1)])
def test_vii_any_indices(indices):
    """A16: an index is a name, not a place"""
    first, second = indices
    assert [("a", "f", "{}"), ("b", "g", "[]")] == routed(
        (first, "a", "f", "{"), (second, "b", "g", "["), (first, None, None, "}"), (second, None, None, "]")
    )


def test_viii_index_changes_between_head_and_tail():
    """A15"""
    assert [("a", "f", "{}"), ("b", "g", "{}")] == routed(
        (0, "a", "f", "{}"), (0, "b", "g", ""), (1, None, None, "{"), (1, None, None, "}")
    )


def test_viii_the_same_id_at_another_index():
    assert [("a", "f", "{}")] == routed((0, "a", "f", "{"), (1, "a", None, "}"))


def test_ix_a_split_name_is_one_call():
    """A5: the router keeps them together; whether names are appended is a declaration"""
    assert 1 == len(routed((0, "a", "edit_ex", None), (0, None, "isting_file", None), (0, None, None, "{}")))


def test_x_whole_calls_without_any_id():
    assert [(None, "f", "{}"), (None, "g", "{}"), (None, "f", "{}")] == routed(
        (None, None, "f", "{}"), (None, None, "g", "{}"), (None, None, "f", "{}")
    )


def test_xi_an_object_is_text_by_the_time_it_comes_here():
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x":1}'))


def test_xii_fragments_that_repeat_go_to_one_call():
    """A20: what is new in them is the filter's to say"""
    assert 1 == len(routed((0, "a", "f", '{"x"'), (0, "a", "f", '{"x":1'), (0, "a", "f", '{"x":1}')))


def test_xiii_a_call_said_again_at_the_end_is_known():
    """A13"""
    router = CallRouter()
    call = router.route(0, "a", "f", '{"x":1}')
    assert call is not None
    call.name, call.pieces = "f", ['{"x":', "1}"]
    anonymous = router.route(1, None, "g", "{}")
    assert anonymous is not None
    anonymous.name, anonymous.pieces = "g", ["{}"]
    assert router.repeated("a", "f", "") is call
    assert router.repeated(None, "f", '{"x":1}') is call
    assert router.repeated("late", "g", "{}") is anonymous
    assert router.repeated("b", "f", '{"x":1}') is None
    assert router.repeated(None, "f", "{}") is None


def test_xiv_another_name_behind_closed_arguments_is_another_call():
    """Q-C14"""
    assert [("a", "f", '{"x":1}'), (None, "g", '{"y":2}')] == routed(
        (0, "a", "f", '{"x":1}'), (0, None, "g", '{"y":2}')
    )


def test_xiv_without_a_name_two_objects_are_one_broken_call():
    assert [("a", "f", '{"x":1}{"y":2}')] == routed((0, "a", "f", '{"x":1}'), (0, None, None, '{"y":2}'))


# -- what the wild adds --------------------------------------------------------------------------------------------


def test_closing_echo_with_another_id_is_no_call():
    """Kimi on SiliconFlow: the last delta has another id, and the name again."""
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x"'), (0, None, None, ":1}"), (0, "z", "f", ""))
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x"'), (0, None, None, ":1}"), (0, "z", "f", None))


@pytest.mark.parametrize("args", ["", '{"x":1}'])
def test_calls_that_share_one_id_are_told_by_their_names(args: str):
    """Some give all calls of an answer one id; the name comes first, the arguments with the next fragment."""
    told = routed((0, "a", "f", ""), (0, "a", None, args), (1, "a", "g", ""), (1, "a", None, '{"y":2}'))
    assert [("a", "f", args), ("a", "g", '{"y":2}')] == told


def test_calls_that_share_id_and_name_are_told_by_index_and_other_arguments():
    told = routed(
        (0, "a", "f", ""), (0, "a", None, "{}"), (1, "a", "f", ""), (1, "a", None, '{"y"'), (1, "a", None, ":2}")
    )
    assert [("a", "f", "{}"), ("a", "f", '{"y":2}')] == told


def test_a_call_that_is_said_again_at_another_index_is_one_call():
    """mudler/LocalAI#9722"""
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x":1}'), (1, "a", "f", '{"x":1}'))
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x":1}'), (1, "a", "f", ""), (1, "a", None, '{"x":1}'))
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x":1}'), (1, "a", "f", ""), (1, None, None, '{"x":1}'))


@pytest.mark.parametrize("index", [0, None])
def test_a_whole_call_in_a_chunk_that_comes_twice_is_one_call(index: int | None):
    """C8"""
    assert [("a", "f", '{"x":1}')] == routed((index, "a", "f", '{"x":1}'), (index, "a", "f", '{"x":1}'))


def test_calls_that_share_one_id_may_interleave():
    told = routed((0, "a", "f", "{"), (1, "a", "g", "["), (0, "a", None, "}"), (1, "a", "g", "]"), (0, "a", "f", " "))
    assert [("a", "f", "{} "), ("a", "g", "[]")] == told


def test_another_name_behind_closed_arguments_is_another_call_under_the_same_id_and_index():
    assert [("a", "f", "{}"), ("a", "g", "{}")] == routed((0, "a", "f", "{}"), (0, "a", "g", "{}"))
    assert [("a", "f", "{}"), ("a", "g", "{}")] == routed((None, "a", "f", "{}"), (None, "a", "g", "{}"))


def test_ids_that_rotate_without_a_name():
    assert [("a", "f", '{"x":1}')] == routed((0, "a", "f", '{"x"'), (0, "b", None, ":"), (0, "c", None, "1}"))


def test_a_name_repeated_without_index_or_id_continues_open_arguments():
    assert [(None, "f", '{"x":1}')] == routed((None, None, "f", '{"x"'), (None, None, "f", ":1}"))


def test_a_bare_fragment_behind_closed_arguments_is_a_call_of_its_own():
    assert [("a", "f", "{}"), (None, None, '{"y":2}')] == routed((None, "a", "f", "{}"), (None, None, None, '{"y":2}'))


def test_an_id_that_comes_late_is_kept():
    assert [("a", "f", "{}")] == routed((0, None, "f", "{"), (0, "a", None, "}"))


def test_the_first_id_wins():
    assert [("a", "f", "{}")] == routed((0, "a", "f", "{"), (0, "b", None, "}"))


def test_nothing_is_routed_to_a_call_that_is_over():
    router = CallRouter()
    call = router.route(None, "a", "f", "{")
    assert call is not None
    router.forget(call)
    assert router.route(None, None, None, "}") is not call
    assert router.last is not call
    assert [] == call.pieces


def test_brackets_inside_strings_do_not_close():
    call = Call(0, 0)
    call.pieces += ['{"x":"', "}", '\\"}', '\\\\"']
    assert not call.looks_closed
    call.pieces.append("}")
    assert call.looks_closed


def test_arguments_that_arrived_whole_are_closed():
    call = Call(0, 0)
    assert not call.looks_closed
    call.whole = True
    assert call.looks_closed


# -- laws ----------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=4)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """A text in pieces, as they may arrive."""
    marks = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[start:stop] for start, stop in zip([0, *marks], [*marks, len(text)], strict=True)]


@given(st.data(), OBJECTS)
def test_balance_is_closed_at_the_end_of_an_object_and_not_before(data: st.DataObject, value: object):
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    balance = Balance()
    for piece in data.draw(cut(text[:-1])):
        balance.feed(piece)
        assert not balance.closed
    balance.feed(text[-1])
    assert balance.closed


@given(st.data(), st.lists(OBJECTS, min_size=1, max_size=4))
def test_interleaved_calls_get_what_is_theirs(data: st.DataObject, arguments: list[object]):
    """A18: by index, in any order, in any pieces"""
    texts = [json.dumps(value) for value in arguments]
    queues = [data.draw(cut(text)) for text in texts]
    fragments: list[Fragment] = [(index, f"id{index}", "f", None) for index in range(len(texts))]
    while any(queues):
        index = data.draw(st.sampled_from([index for index, queue in enumerate(queues) if queue]))
        fragments.append((index, None, None, queues[index].pop(0)))
    assert [(f"id{index}", "f", text) for index, text in enumerate(texts)] == routed(*fragments)


@given(st.data(), st.lists(OBJECTS, min_size=1, max_size=4), st.sampled_from(["id", "name", "index"]))
def test_calls_in_sequence_are_told_apart_by_whatever_they_have(
    data: st.DataObject, arguments: list[object], kept: str
):
    """A1, A2, A3: an id alone, a name alone (all the same), or an index alone, with bare fragments behind it"""
    texts = [json.dumps(value) for value in arguments]
    fragments: list[Fragment] = []
    for number, text in enumerate(texts):
        index = number if kept == "index" else None
        head = (index, f"id{number}" if kept == "id" else None, "f", None)
        fragments += [head, *((index, None, None, piece) for piece in data.draw(cut(text)))]
    assert texts == [args for _, _, args in routed(*fragments)]


@given(st.lists(st.tuples(
    st.none() | st.integers(-1, 2), st.sampled_from([None, "a", "b"]), st.sampled_from([None, "f", "g"]),
    st.sampled_from([None, "{", "}", '{"x":1}', '"']),
), max_size=12))  # fmt: skip
def test_no_argument_is_lost_or_said_twice(fragments: list[Fragment]):
    """Left out is only what the call with that id has said already, word for word."""
    router, kept = CallRouter(), ""
    for index, id, name, args in fragments:
        call = router.route(index, id, name, args)
        if call is not None:
            call.name = call.name or name
            call.pieces += [args] if args else []
        elif args:
            assert (id, args) in [(each.id, "".join(each.pieces)) for each in router]
            kept += args
    kept += "".join(piece for call in router for piece in call.pieces)
    assert sorted("".join(args for _, _, _, args in fragments if args)) == sorted(kept)
