# The one source of commands; .ci/run calls `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
STAMP := $(VENV)/.installed
GAMES := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard cards/*/game.yaml)))))
LARGEST_FIRST = $(shell for game in $(GAMES); do echo "$$(cat cards/$$game/rules/*.py | wc -c) $$game"; done | \
  sort -rn | cut -d' ' -f2)
# What one runs while working: a part of each kind of test, chosen so that the whole takes less than a minute.
QUICK := tests/test_architecture.py tests/test_one_name.py tests/test_programs.py tests/docs/test_names.py \
  tests/cli/test_help.py tests/cli/test_docs.py tests/cli/test_new.py \
  tests/database/test_bad_input.py tests/database/test_effect_text.py tests/database/test_errata.py \
  tests/database/test_errors.py tests/database/test_game.py tests/database/test_lint.py tests/database/test_schema.py \
  tests/database/test_sheets.py tests/database/test_source.py \
  tests/language/test_bounds.py tests/language/test_mistakes.py tests/language/test_trace.py tests/language/test_zones.py \
  tests/sheets/test_cropmarks.py tests/sheets/test_impose.py tests/referee/test_match.py tests/referee/test_transcript.py tests/verifier/test_examples.py
export PYTHONHASHSEED := 0
# The tests start some hundred programs: keep their bytecode, as an installed package does.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick docs gallery bench prove published mutants walks renew release clean

# What a user installs. Only what Python loads is compiled: to compile everything took 18 s of 44.
$(BASE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -e .
	touch $(BASE)

# What developers need too, in one step: the base alone first would be resolved twice. uv takes a quarter of pip's CPU for
# it, but reads no settings of pip: where it finds nothing, pip does it.
DEVELOPERS := '.[dev,openspiel,solvers,lab,cluster]'
$(STAMP): pyproject.toml
	test -e $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile 'uv>=0.9,<1' && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python -e $(DEVELOPERS) || \
	  $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -e $(DEVELOPERS)
	touch $(BASE) $(STAMP)

demo: $(BASE) ## build, prove, replay, simulate the demo game and say where
	$(BIN)/playproof demo

test: $(STAMP) ## what decides whether a change lands
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy & mypy=$$!; $(BIN)/pytest --collect-only -qq >/dev/null 2>&1; \
	  $(BIN)/pytest -n 4 --dist loadfile --no-loadscope-reorder --share commit; tests=$$?; wait $$mypy && exit $$tests # beside mypy what Python compiles, once for all workers; of the dear tests, a tenth

quick: $(STAMP) ## what one runs while working: style, and a part of the tests, in less than a minute
	$(BIN)/ruff check .
	$(BIN)/pytest -n 2 --dist loadfile $(QUICK)

docs: $(STAMP) ## the pages as a site in output/docs, search included, nothing from the network
	$(BIN)/sphinx-build -q -W --keep-going -b html docs output/docs
	@echo "output/docs/index.html"

gallery: $(STAMP) ## every product of every game as pictures, in output/gallery
	$(BIN)/python -m tests.gallery

bench: $(STAMP) ## measured claims, as ratios in one run
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m tests.benchmarks

prove: $(STAMP) ## every claim of every game, the slow ones too: the largest games first, and what is left beside them
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[planner]'
	{ printf '$(BIN)/playproof prove %s --second\n' $(LARGEST_FIRST); \
	  echo 'PLAYPROOF_CHANGED=10000 $(BIN)/pytest tests/verifier/test_check.py -s -k changed_at_random'; \
	  echo 'PLAYPROOF_DRAWN=150 $(BIN)/pytest tests/verifier/test_drawn_games.py -s -k many'; \
	  echo 'PLAYPROOF_STEPS=5000 $(BIN)/pytest tests/verifier/test_kernel.py -k of_the_interpreter'; \
	  echo 'PLAYPROOF_LARGE=eila $(BIN)/pytest tests/rules/eila/test_plain_chances.py'; \
	  echo '$(BIN)/python -m tests.planner'; \
	  echo 'PLAYPROOF_LARGE=golf,eila $(BIN)/pytest tests/verifier/test_machine_layers.py -k large'; \
	} | xargs -P 2 -I JOB sh -c JOB

published: $(STAMP) ## published results: asked, checked and compared; the table is docs/maintain/published.md
	$(BIN)/python -m tests.published

mutants: $(STAMP) ## every change of each game's rules and cards, and every value of its files: what nothing notices. Takes hours, and goes on where it was stopped
	for game in $(GAMES); do \
	  $(BIN)/playproof prove mutate $$game --number 100000 --cards 100000; \
	  $(BIN)/python -m tests.audit $$game; \
	done
	PLAYPROOF_PLANTED=10000 $(BIN)/pytest tests/generator/test_planted.py -s

walks: $(STAMP) ## every test, also the dear ones; 10,000 random games of every game and number of players, everything that must hold asked at each step; drawn games, errata and faces
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m tests.benchmarks walks
	PLAYPROOF_DRAWN=1600 $(BIN)/pytest tests/verifier/test_drawn_games.py -s -k many
	PLAYPROOF_FACES=2000 PLAYPROOF_OUR_FACES=1000 $(BIN)/pytest tests/generator/test_two_pictures.py
	PLAYPROOF_DRAWN=1600 $(BIN)/pytest tests/verifier/test_drawn_hidden.py tests/verifier/test_drawn_views.py -s -k many
	PLAYPROOF_SOLO=all $(BIN)/pytest tests/verifier/test_estimates.py
	PLAYPROOF_REPORTS=all $(BIN)/pytest tests/lab/test_solo.py
	PLAYPROOF_PORT_GAMES=100 $(BIN)/pytest tests/referee/test_ports.py -k openspiels
	PLAYPROOF_DRAWN_ERRATA=50 $(BIN)/pytest tests/random_errata -s
	PLAYPROOF_MOUSE=all $(BIN)/pytest tests/table/test_mouse.py
	PLAYPROOF_FIELDS=all $(BIN)/pytest tests/cards/test_changed_fields.py -k every_field

renew: $(STAMP) ## rewrite the golden texts; read the diff before committing
	$(BIN)/pytest -n 2 --renew

release: $(STAMP) ## the files of a release, tried in an empty environment; docs/maintain/release.md says the rest
	$(BIN)/python -m tests.release

clean:
	rm -rf $(VENV) output/*/ .mypy_cache .ruff_cache .pytest_cache
