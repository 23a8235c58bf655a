-- What a profile saves in the translator, of docs/adapted.csv; the queries of docs/engines.md and docs/worth.md.

CREATE TEMP VIEW saved AS SELECT a.game, a.profile, a.budget_percent AS budget, 100 - 100.0 * a.instructions_all / n.instructions_all AS whole,
    100 - 100.0 * a.instructions_steady / n.instructions_steady AS steady, 100 - 100.0 * a.taken_all / n.taken_all AS taken_whole,
    100 - 100.0 * a.taken_steady / n.taken_steady AS taken FROM adapted a JOIN adapted n ON n.game = a.game AND n.profile = 'none' WHERE a.profile <> 'none';

-- name: profiles
SELECT printf('| %s | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |', CASE profile WHEN 'exact' THEN '`exact`' WHEN 'other' THEN '`exact`, another movie of the game'
        WHEN 'random' THEN '`exact` with its weights shuffled' WHEN 'gaussian' THEN 'GFCGaussiano 45' ELSE iif(profile LIKE 'adapt%', '`--adapt ' || substr(profile, 7) || '`', '`' || profile || '`') END,
        iif(budget IS NULL, '', budget || ' %'), avg(whole), min(whole), avg(steady), avg(taken))
FROM saved GROUP BY profile, budget ORDER BY profile LIKE 'adapt%', profile = 'random', avg(steady) DESC;

-- name: games
SELECT printf('| %s | %.1f | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |', n.game, n.instructions_steady / 1000.0, e.whole, e.steady, e.taken, o.whole, o.steady)
FROM adapted n JOIN saved e ON e.game = n.game AND e.profile = 'exact' JOIN saved o ON o.game = n.game AND o.profile = 'adapt-observed'
WHERE n.profile = 'none' ORDER BY n.game;

-- name: exact
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(taken)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(whole)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', min(whole)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(whole)) FROM saved WHERE profile = 'observed' AND budget < 0.01;
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'gaussian' AND budget > 1;
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'random';

-- name: adapt
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile LIKE 'adapt%' GROUP BY profile;
SELECT printf('%.1f %%', -avg(whole)) FROM saved WHERE profile LIKE 'adapt%' GROUP BY profile;

-- name: worth
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(taken)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(whole)) FROM saved WHERE profile = 'exact';
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'gaussian' AND budget > 1;
SELECT printf('%.1f %%', avg(steady)) FROM saved WHERE profile = 'random';
SELECT printf('%.1f %%', -avg(whole)) FROM saved WHERE profile = 'adapt-exact';
