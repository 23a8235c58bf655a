-- What docs/worth_programs.csv holds, asked of a database of configs/worth_programs.cfg (`make programs`): the benefit of each profile of a
-- program for code layout, by technique and sampling rate, and of the exact profile of another input.
SELECT game AS program, technique, sampling, round(100 * observed_share, 4) AS observed_percent, round(benefit, 4) AS benefit,
    round(benefit_inferred, 4) AS benefit_inferred, round(overlap_active, 4) AS overlap, round(lost, 4) AS lost
FROM worth ORDER BY game, technique, sampling LIKE 'transfers%', observed_share DESC;
