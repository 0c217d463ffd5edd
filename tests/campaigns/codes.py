"""Every code that a problem may have: the promise to whoever reads problems by program."""

_SCHEMAS = """
    missing_field wrong_type not_one_of bad_format blank_field too_long too_short empty_list
    too_many not_unique out_of_range empty_mapping not_one_line bad_name bad_id bad_timestamp
    bad_uuid bad_agent_id bad_version unknown_type
"""
_TEXTS = """
    too_large not_utf8 byte_order_mark empty yaml_syntax json_syntax many_documents not_a_mapping
    too_deep duplicate_key yaml_tag merge_key alias_expansion key_not_text not_finite
    number_too_long lone_surrogate dialect_guessed more_problems
"""
_RULES = """
    unknown_field point_to_point sender_in_recipients priority_not_risk_tier id_form
    conversation_form parent_form text_body handoff_to_self handoff_agents
    merge_ready_but_failed tests_run_text agent_expected too_many_words file_name other_version
    unknown_error_code unexpected_ref version_mismatch priority_disagrees shared_mode bad_pattern
    secret_detected
"""
OF_TEXTS = frozenset(_TEXTS.split())  # of the text level: the fields alone don't show them
CODES = OF_TEXTS | frozenset(_SCHEMAS.split()) | frozenset(_RULES.split())
