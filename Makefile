# Two commands matter: `make run` and `make test`. Both work in a fresh clone.

PYTHON ?= python3
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
EDITOR := core/admin/editor
# Each process begins with one half of the tests in their order, so that neighbours share what they need.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
# One file of each area, which together break soon if something does.
CORE := $(addsuffix .py,$(addprefix tests/,contents/test_get_content contents/test_update_content contents/test_list_contents \
	channels_app/test_create_channel accounts/test_user_login apikeys/test_life wire/test_errors wire/test_open_endpoints \
	wire/test_check_order stl/test_where sql/test_compiling admin/test_menu admin/test_pages audit/test_audit_page \
	jobs/test_jobs transfer/test_import_site openapi/test_document reference/test_reference test_triggers test_docs \
	test_error_codes test_doctor test_version test_request_paths))
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What only PostgreSQL runs: left out of the figures of `make coverage`, and all that coverage-on-postgresql measures.
POSTGRESQL_ONLY := sql_sandbox/running/postgresql_reader.py,cms_api/sql_endpoint/reader_*.py,\
cms_api/sql_endpoint/role_check.py,cms_api/sql_endpoint/postgresql_views.py,*/commands/set_up_sql_reader.py

.PHONY: run openapi check test-core test test-large coverage coverage-on-postgresql mutation test-on-postgresql test-in-browser test-operation test-contract test-cluster test-recipes lint lint-types lint-others audit requirements messages pictures docs reference editor editor-check lint-javascript test-javascript client-ts check-client-ts test-client-ts clean

run: .venv/installed  ## Serve on 127.0.0.1:$PORT (8000), with a sample site in an empty database
	@$(MAKE) --silent site/index.html || echo "The documentation could not be built; /docs/ is not there."
	@$(MANAGE) first_start
	@exec $(BIN)/gunicorn -c python:server.configuration cms_api.wsgi

check: .venv/installed-dev  ## Format, lint, types, imports and a core of the tests, within 90 seconds
	@$(MAKE) --silent --jobs 2 --output-sync=target lint-types lint-others test-core

test-core: .venv/installed-dev
	$(BIN)/python -m pytest $(CORE) $(PYTEST_ARGUMENTS)

test: .venv/installed-dev lint  ## Every check, and all tests but those of the targets below
	$(PYTEST) --ignore=tests/browser -m "not large" $(PYTEST_ARGUMENTS)
	$(BIN)/python -m tools.dependency_audit --go-on requirements.txt

test-large: .venv/installed-dev  ## Slow tests, and tests that start servers or commands
	$(PYTEST) --ignore=tests/browser -m large --durations=20 $(PYTEST_ARGUMENTS)

coverage: .venv/installed-dev  ## The tests of `test` and `test-large` at once, counting lines: half as much time again
	CMS_COVERAGE_OMIT='$(POSTGRESQL_ONLY)' $(PYTEST) --ignore=tests/browser \
		--cov --cov-report=term --cov-fail-under=95 $(PYTEST_ARGUMENTS)

mutation: .venv/installed-dev  ## Change functions at random, and see whether a test fails (MUTATION_ARGUMENTS, --help)
	$(BIN)/pip install --quiet mutmut==3.8.1
	$(PYTEST) --ignore=tests/browser -m "not large" --cov --cov-context=test --cov-report= --junit-xml=.mutation.xml
	$(BIN)/python -m tools.mutation $(MUTATION_ARGUMENTS)

coverage-on-postgresql: .venv/installed-dev  ## The lines that only PostgreSQL runs
	CMS_COVERAGE_ONLY='$(POSTGRESQL_ONLY)' $(PYTEST) -p tests.database_only tests/sql \
		--cov --cov-config=.ci/postgresql-coverage.ini --cov-report=term --cov-fail-under=95 $(PYTEST_ARGUMENTS)

test-on-postgresql: .venv/installed-dev  ## The same with CMS_TEST_DATABASE_URL and CMS_TEST_CACHE_URL set
	$(PYTEST) -p tests.database_only tests/sql $(PYTEST_ARGUMENTS)  # apart, since plans depend on what was stored before
	$(PYTEST) -p tests.database_only --ignore=tests/sql --ignore=tests/browser $(PYTEST_ARGUMENTS)

test-in-browser: .venv/installed-dev  ## The tests that need Chromium
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/browser $(PYTEST_ARGUMENTS)  # one installation for each file

test-operation: .venv/installed-dev  ## What needs PostgreSQL's programs, nginx and Redis: faults, nodes behind a proxy, backups
	$(PYTEST) tests/wire/test_database_faults.py tests/test_deploy_nginx.py tests/backup $(PYTEST_ARGUMENTS)
	$(BIN)/python -m pytest tests/faults $(PYTEST_ARGUMENTS)  # one after the other: each takes the whole machine

test-contract: .venv/installed-dev  ## The service against its OpenAPI document, with more than 10,000 examples
	$(BIN)/python -m tools.contract $(CONTRACT_ARGUMENTS)

test-cluster: .venv/installed-dev  ## Replicas: a primary and streaming standbys that the tests start, two nodes behind nginx
	$(BIN)/python -m pytest tests/cluster $(PYTEST_ARGUMENTS)

test-recipes: .venv/installed-dev  ## The recipes of CONTRIBUTING.md, followed in a copy of the project (needs Node 20)
	$(PYTEST) tests/recipes $(PYTEST_ARGUMENTS)

lint: .venv/installed-dev  ## Format, lint, types, import rules, security, migrations
	@$(MAKE) --silent --jobs 2 --output-sync=target lint-types lint-others

lint-types: .venv/installed-dev
	$(BIN)/mypy --no-error-summary . tests/client/typed_use.py

lint-others: .venv/installed-dev
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports > /dev/null || $(BIN)/lint-imports
	$(BIN)/bandit --quiet --ini setup.cfg --recursive accounts apikeys channels_app client cms_api comments contents core deploy \
		events forms manage.py media_library members migration pages search server sites sql_sandbox transfer webhooks
	$(MANAGE) makemigrations --check --dry-run --verbosity 0
	$(MANAGE) check

audit: .venv/installed-dev  ## Ask OSV whether a pinned package is known to be vulnerable; 2 where OSV cannot be reached
	$(BIN)/python -m tools.dependency_audit requirements.txt requirements-dev.txt

requirements: .venv/installed-dev  ## Compile requirements*.in to pinned files with hashes
	$(BIN)/pip install --quiet uv
	for name in requirements requirements-docs requirements-migration requirements-dev; do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
			--no-emit-index-url --no-header --upgrade $$name.in --output-file $$name.txt || exit 1; \
	done

messages: .venv/installed-dev  ## Bring the translations of the back end up to date, and name what lacks one
	$(BIN)/python -m tools.messages

openapi: .venv/installed-dev  ## Make the OpenAPI document and its examples
	$(BIN)/python -m tools.openapi

pictures: .venv/installed-dev  ## Take the tour of docs/tour.md anew, with Chromium
	$(BIN)/python -m tools.tour $(TOUR_ARGUMENTS)

docs: .venv/installed-docs  ## Build the documentation as a site into site/, which is served at /docs/ and read from the disk
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

site/index.html: mkdocs.yml README.md $(wildcard docs/*.md docs/*/*.md)
	@$(MAKE) --silent docs

reference: .venv/installed-dev  ## Write docs/reference anew from the code
	$(BIN)/python -m tools.reference

editor: $(EDITOR)/node_modules/.package-lock.json .venv/installed  ## Build the editor's scripts and the style sheet (needs Node 20)
	cd $(EDITOR) && node build.js

editor-check: editor  ## Fail where what was built is not what is committed
	git diff --exit-code --stat -- core/admin/static/cms_admin/editor core/admin/static/cms_admin/admin.css

lint-javascript: $(EDITOR)/node_modules/.package-lock.json  ## Lint scripts and style sheets (biome.jsonc; needs Node 20)
	$(EDITOR)/node_modules/.bin/biome lint --error-on-warnings

test-javascript: lint-javascript  ## The same, and unit tests of the scripts without a browser
	node --test tests/javascript/*.test.mjs

client-ts: client-ts/dist/index.js  ## Build the TypeScript client, with types from the OpenAPI document (needs Node 20)

client-ts/dist/index.js: client-ts/node_modules/.package-lock.json $(wildcard client-ts/src/*.ts) client-ts/tsconfig.json client-ts/tsconfig.build.json
	rm -rf client-ts/dist
	cd client-ts && npm run --silent build
	@touch $@

check-client-ts: client-ts  ## Check its types, and that those of the document are up to date
	cd client-ts && npm run --silent check
	client-ts/node_modules/.bin/openapi-typescript core/openapi/openapi.json 2>/dev/null | cmp client-ts/src/openapi.ts -

test-client-ts: check-client-ts .venv/installed-dev  ## The same, and its tests against a real server and in Chromium
	$(BIN)/python -m pytest tests/client/test_typescript.py tests/browser/test_typescript_client.py $(PYTEST_ARGUMENTS)

clean:  ## Remove what the commands made, but not the data
	rm -rf .venv site $(EDITOR)/node_modules client-ts/node_modules client-ts/dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .mutation.xml

$(EDITOR)/node_modules/.package-lock.json: $(EDITOR)/package.json $(EDITOR)/package-lock.json
	cd $(EDITOR) && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

client-ts/node_modules/.package-lock.json: client-ts/package.json client-ts/package-lock.json
	cd client-ts && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

.venv/bin/pip:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/pip requirements.txt
	$(BIN)/pip install --quiet --require-hashes --only-binary :all: --requirement requirements.txt
	@touch $@

.venv/installed-docs: .venv/installed requirements-docs.txt
	$(BIN)/pip install --quiet --require-hashes --requirement requirements-docs.txt
	@touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/pip install --quiet --require-hashes --requirement requirements-dev.txt
	@touch $@
