"""Every promise of SECURITY.md has a test: a new sentence needs one, and a test that is renamed is missed here."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRUST = "unit/metrics/test_trust.py::test_"
SERVICES = "unit/metrics/test_hostile_services.py::test_"
SERVER = "unit/human/test_security.py::test_"
SERVE = "unit/tasks/test_serve.py::test_"
BAD_INPUT = "end_to_end/test_bad_input.py::test_"
FILES = "unit/data/test_files.py::test_"
ARCHIVES = "unit/data/test_archives.py::test_"
IN_PLACE = "end_to_end/test_bilingual_files.py::test_"
HELD_BY = {  # the beginning of a promise -> the tests that hold it
    "Nothing in a file is executed": [f"{TRUST}a_model_does_not_run_code_of_a_file_that_it_names"],
    "A model, saved scores, a signature or a configuration file": [
        f"{TRUST}a_model_inside_a_model_does_not_run_code_either", f"{TRUST}the_user_can_trust_a_model",
        f"{TRUST}saved_scores_do_not_run_code_and_do_not_reach_a_service",
        f"{TRUST}a_signature_does_not_run_code_and_does_not_reach_a_service",
        f"{TRUST}a_configuration_file_runs_no_code_and_allows_itself_nothing",
        f"{TRUST}the_user_can_trust_a_configuration_file",
    ],
    "One that names a service": [f"{TRUST}a_model_does_not_send_texts_unless_allowed_and_never_a_key"],
    "A configuration file cannot": [f"{TRUST}a_configuration_file_runs_no_code_and_allows_itself_nothing"],
    "No file sets keys": [f"{TRUST}a_file_cannot_grant_itself_anything"],
    "Weights in Python's pickle format": [
        "unit/language/test_huggingface.py::test_pickled_tensors_are_read_and_other_pickles_refused"
    ],
    "NaN and infinity": [
        "unit/language/test_encoders.py::test_numbers_that_are_not_finite_are_an_error_with_the_text",
        "unit/language/test_encoders.py::test_word_vectors_that_are_not_finite_are_refused",
    ],
    "An ONNX network": ["unit/language/test_encoders.py::test_a_model_that_loops_for_ever_is_stopped"],
    "XML is read": ["unit/data/test_wmtxml.py::test_entity_bombs_are_refused"],
    "An archive writes": [f"{ARCHIVES}a_harmful_or_damaged_archive_is_refused_and_leaves_nothing"],
    "Archives, saved scores and lines": [
        f"{ARCHIVES}an_archive_that_unpacks_to_many_times_its_size_is_refused_unless_allowed",
        "unit/test_scoring.py::test_saved_scores_that_would_fill_the_memory_are_refused",
        f"{FILES}a_line_without_end_is_refused", f"{FILES}an_endless_file_is_refused",
    ],
    "Every metric counts a line": [
        "unit/metrics/test_long_lines.py::test_a_line_of_100_000_words_is_counted_within_a_gigabyte_or_refused"
    ],
    "Terminals never": [f"{BAD_INPUT}messages_hold_nothing_that_a_terminal_would_obey"],
    "Pages run only": [
        "end_to_end/test_report_in_browser.py::test_the_policy_of_the_page_stops_scripts_that_are_inserted",
        "unit/rendering/test_pages.py::test_every_text_is_escaped_wherever_it_stands",
        "unit/rendering/test_pages.py::test_a_page_names_nothing_that_could_be_fetched",
    ],
    "Nothing is downloaded": [
        "unit/language/test_huggingface.py::test_a_name_that_is_not_here_is_not_downloaded",
        "end_to_end/test_data_command.py::test_a_model_of_the_hub_is_downloaded_only_if_allowed",
    ],
    "The key goes only": [
        f"{SERVICES}a_key_that_the_service_repeats_is_shown_and_stored_nowhere",
        f"{SERVICES}a_key_that_no_header_can_hold_is_refused_and_not_shown",
        f"{SERVICES}an_endpoint_that_could_hold_a_key_is_refused",
        f"{TRUST}a_model_does_not_send_texts_unless_allowed_and_never_a_key",
    ],
    "A request has a deadline": [f"{SERVICES}a_request_ends_whatever_the_service_sends"],
    "One Ctrl-C": [f"{SERVICES}one_interrupt_ends_a_run_that_waits"],
    "An answer in another form": [f"{SERVICES}json_that_is_deep_or_odd_is_an_answer_that_cannot_be_read"],
    "A judged text": [f"{SERVICES}what_a_text_says_to_the_model_changes_its_own_score_at_most"],
    "The rating server authenticates": [
        f"{SERVER}another_raters_items_cannot_be_judged", f"{SERVER}organiser_pages_need_the_organisers_secret",
    ],
    "Guessing tokens": [f"{SERVER}guessing_tokens_is_limited_without_locking_out_raters"],
    "Tokens are kept": [
        "unit/human/test_campaign.py::test_tokens_are_random_and_only_their_hashes_are_kept",
        f"{SERVER}tokens_are_never_logged_and_never_stored",
    ],
    "A token of one campaign": [
        "unit/human/test_several_campaigns.py::test_a_token_of_one_campaign_is_worth_nothing_in_another"
    ],
    "Requests that another site": [
        f"{SERVER}forged_requests_are_refused", f"{SERVE}no_other_site_and_no_other_name_gets_in",
    ],
    "Bodies that are": [
        f"{SERVER}oversized_bodies_are_refused", f"{SERVER}a_slow_body_times_out",
        f"{SERVE}bodies_that_are_too_large_broken_or_ambiguous_are_refused",
    ],
    "Marks in an answer": [
        "unit/human/test_campaign_answers.py::test_invalid_answers_give_an_error_with_the_part",
        "unit/human/test_storage.py::test_a_rater_who_changes_an_answer_for_ever_does_not_fill_the_disk",
    ],
    "A dashboard that takes long": [
        "unit/human/test_server.py::test_a_dashboard_that_takes_long_is_not_computed_after_every_answer"
    ],
    "What raters, texts and names": [
        f"{SERVER}scripts_in_texts_and_names_stay_texts", f"{SERVER}sql_in_every_field_changes_nothing",
    ],
    "`tercet serve` reads no file": [
        f"{SERVE}what_a_request_may_not_have_is_refused", f"{SERVE}every_option_is_known_to_be_harmless_or_refused",
    ],
    "A request to it": [f"{SERVE}a_request_that_takes_too_long_or_too_much_memory_ends_alone"],
    "Its logs": [f"{SERVE}logs_and_numbers_have_no_texts"],
    "Files are replaced": [
        f"{FILES}what_was_there_stays_until_all_is_written", f"{FILES}a_file_that_is_replaced_keeps_its_mode",
        f"{FILES}a_program_that_is_killed_while_it_writes_leaves_nothing",
    ],
    "A file with results written in": [
        f"{IN_PLACE}a_row_that_changes_while_scoring_runs_is_found_and_nothing_is_written"
    ],
    "A metric of your own that exits": [f"{BAD_INPUT}code_of_a_user_that_ends_the_program_lets_no_gate_pass"],
}  # fmt: skip


def promises() -> list[str]:
    """Return the sentences of the threat model, each an item of its lists."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    model = text.partition("## Threat model")[2].partition("\n## ")[0]
    return [" ".join(item.split()) for item in re.findall(r"^- (.*(?:\n  .*)*)", model, re.MULTILINE)]


@pytest.mark.parametrize("promise", promises())
def test_every_promise_is_held_by_a_test(promise: str) -> None:
    (tests,) = [tests for beginning, tests in HELD_BY.items() if promise.startswith(beginning)]
    for test in tests:
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / "tests" / path).read_text("utf-8"), test


def test_no_test_is_named_for_a_promise_that_is_gone() -> None:
    assert [each for each in HELD_BY if not any(promise.startswith(each) for promise in promises())] == []
