"""Tools on what surrounds an agent: the web, pictures, documents, the machine: 3 + 4 + 5 + 1 + 1 + 3 + 16 definitions."""

from __future__ import annotations

from .definitions import choice, closed, decimal, flag, integer, listed, plain, record, text, titled

__all__ = ["FAMILIES"]

_URL = text("Address of the page, with http or https. Example: https://example.com/docs", format="uri", maxLength=2048)

_WEB = (
    closed(
        "web_search",
        "Search the web and return titles, addresses and short excerpts of the results. Use this for current events, for "
        "recent versions of software and for anything that may have changed since your training. Read the promising results "
        "with fetch_web_content before you rely on them, because excerpts can be misleading.",
        {
            "query": text("Search terms. Keep them short and specific.", minLength=2, maxLength=400),
            "max_results": integer("Number of results. Default: 8.", minimum=1, maximum=20, default=8),
            "time_range": choice("Only results from this period.", "day", "week", "month", "year"),
            "safe_search": choice(
                "How strictly results are filtered. Default: moderate.", "off", "moderate", "strict", default="moderate"
            ),
            "language": text("Two-letter code of the preferred language. Example: de", pattern="^[a-z]{2}$"),
        },
        ("query",),
    ),
    closed(
        "wikipedia_search",
        "Look something up in Wikipedia and return the summary of the best matching article, or the titles of several "
        "candidates if the term is ambiguous. Good for definitions, people, places and historical facts.",
        {
            "query": text("Term or title to look up.", minLength=1, maxLength=300),
            "language": text("Language edition. Default: en.", default="en", pattern="^[a-z]{2,3}$"),
            "sentences": integer("Length of the summary in sentences. Default: 5.", minimum=1, maximum=30, default=5),
        },
        ("query",),
    ),
    closed(
        "fetch_web_content",
        "Fetch a web page and return its readable content as Markdown. Menus, advertisements and scripts are removed. Long "
        "pages are returned in parts; use start_index to continue where the previous part ended. Pages that need a login or "
        "heavy scripting may come back empty: use browser_open_page for those.",
        {
            "url": _URL,
            "max_length": integer(
                "Maximum number of characters to return. Default: 20000.", minimum=100, maximum=200000, default=20000
            ),
            "start_index": integer("Character at which the returned part begins. Default: 0.", minimum=0, default=0),
            "raw": flag("Return the HTML source instead of readable text. Default: false.", default=False),
        },
        ("url",),
    ),
)

_SESSION = text("Id of the browser session, as returned by browser_open_page.", minLength=1)

_BROWSER = (
    closed(
        "browser_open_page",
        "Open a page in a headless browser and return a snapshot of it: title, address, visible text and a numbered list of "
        "the elements that can be clicked or filled in. The session stays open; use browser_session_control to interact with "
        "the page and browser_session_close when you are done.",
        {
            "url": _URL,
            "wait_until": choice(
                "When the page counts as loaded. Default: load.", "load", "domcontentloaded", "networkidle", default="load"
            ),
            "viewport": record(
                "Size of the browser window in pixels.",
                {
                    "width": {"type": "integer", "minimum": 320, "maximum": 3840},
                    "height": {"type": "integer", "minimum": 240, "maximum": 2160},
                },
                ("width", "height"),
            ),
        },
        ("url",),
    ),
    plain(
        "browser_session_control",
        "Control an open browser session: click an element, type text, press a key, scroll, go back, wait for something or "
        "evaluate a script. Elements are referred to by the numbers from the latest snapshot. Returns a new snapshot after "
        "each action.",
        {
            "session_id": _SESSION,
            "action": {
                "description": "The action to perform, told apart by its field type.",
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {
                            "type": {"const": "click"},
                            "element": {"type": "integer", "description": "Number of the element.", "minimum": 1},
                            "double": {"type": "boolean", "description": "Whether to click twice.", "default": False},
                        },
                        "required": ["type", "element"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {
                            "type": {"const": "type"},
                            "element": {"type": "integer", "description": "Number of the element.", "minimum": 1},
                            "text": {"type": "string", "description": "Text to type.", "maxLength": 10000},
                            "submit": {"type": "boolean", "description": "Whether to press Enter afterwards."},
                        },
                        "required": ["type", "element", "text"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {
                            "type": {"const": "scroll"},
                            "direction": {"type": "string", "enum": ["up", "down"]},
                            "amount": {"type": "integer", "description": "Pixels.", "exclusiveMinimum": 0, "default": 600},
                        },
                        "required": ["type", "direction"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {
                            "type": {"const": "wait"},
                            "seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 30},
                        },
                        "required": ["type", "seconds"],
                        "additionalProperties": False,
                    },
                ],
            },
        },
        ("session_id", "action"),
    ),
    closed(
        "browser_session_close",
        "Close a browser session and free its resources. Sessions that are not used for ten minutes are closed automatically.",
        {"session_id": _SESSION},
        ("session_id",),
    ),
    closed(
        "preview_html",
        "Show a piece of HTML in a preview window on the user's screen. Scripts inside it run without access to the network "
        "or to files. Use this to let the user look at something you have built.",
        {
            "html": text("The complete HTML document or a fragment.", minLength=1, maxLength=1000000),
            "title": text("Title of the window.", maxLength=100),
        },
        ("html",),
    ),
)

_IMAGE = text("Path of the image file. PNG, JPEG, WebP, GIF and BMP are supported.", minLength=1)

_IMAGES = (
    closed(
        "image_to_text",
        "Extract text from an image by optical character recognition. Works for screenshots, scanned pages and photographs of "
        "documents. Returns the text in reading order, optionally with the position of each word.",
        {
            "image_path": _IMAGE,
            "languages": listed(
                'Languages of the text as three-letter codes. Default: ["eng"].',
                {"type": "string"},
                default=["eng"],
                maxItems=5,
            ),
            "with_positions": flag("Whether the bounding box of each word is returned. Default: false.", default=False),
        },
        ("image_path",),
    ),
    closed(
        "describe_image",
        "Describe in words what an image shows, using a vision model. Ask a specific question to get a specific answer.",
        {
            "image_path": _IMAGE,
            "question": text("What you want to know about the image. Defaults to a general description.", maxLength=1000),
            "detail": choice("How detailed the answer is. Default: medium.", "low", "medium", "high", default="medium"),
        },
        ("image_path",),
    ),
    closed(
        "screenshot_desktop",
        "Take a screenshot of the desktop, of one monitor or of a region, and save it as a PNG file. Returns the path of the "
        "file. The user is notified each time. Use describe_image or image_to_text to look at the result.",
        {
            "monitor": integer("Number of the monitor, counted from 1. Defaults to all monitors.", minimum=1, maximum=16),
            "region": record(
                "Part of the screen in pixels.",
                {name: {"type": "integer", "minimum": 0} for name in ("x", "y", "width", "height")},
                ("x", "y", "width", "height"),
                additionalProperties=False,
            ),
            "output_path": text("Where the file is saved. Defaults to a file in the screenshots folder."),
        },
    ),
    closed(
        "compare_images",
        "Compare two images of the same size and return how much they differ, in percent of the pixels, together with an "
        "image in which the differences are marked. Useful for checking user interfaces for visual regressions.",
        {
            "image_a": _IMAGE,
            "image_b": _IMAGE,
            "threshold": decimal(
                "Difference per pixel that is tolerated, between 0 and 1. Default: 0.1.", minimum=0, maximum=1, default=0.1
            ),
        },
        ("image_a", "image_b"),
    ),
    closed(
        "analyze_image",
        "Get technical information about an image: dimensions, format, color space, dominant colors, histogram and EXIF "
        "metadata. It does not recognise what the image shows; use describe_image for that.",
        {"image_path": _IMAGE, "colors": integer("Number of dominant colors. Default: 5.", minimum=1, maximum=20, default=5)},
        ("image_path",),
    ),
)

_CHARTS = (
    titled(
        "generate_chart",
        "Generate a chart from data and save it as an image file. Supports line, bar, area, scatter, pie and histogram charts "
        "with one or several series. Choose the type that fits the question: lines for developments over time, bars for "
        "comparisons.",
        {
            "chart_type": choice("Type of the chart.", "line", "bar", "area", "scatter", "pie", "histogram"),
            "series": listed("The data, one entry for each series.", {"$ref": "#/$defs/Series"}, minItems=1, maxItems=20),
            "title": text("Title above the chart.", maxLength=200),
            "x_label": text("Label of the horizontal axis.", maxLength=100),
            "y_label": text("Label of the vertical axis.", maxLength=100),
            "output_path": text("Where the image is saved. Must end with .png or .svg.", pattern="\\.(png|svg)$"),
            "width": integer("Width in pixels. Default: 800.", minimum=200, maximum=4000, default=800),
            "height": integer("Height in pixels. Default: 500.", minimum=200, maximum=4000, default=500),
        },
        ("chart_type", "series"),
        {
            "Series": {
                "type": "object",
                "title": "Series",
                "properties": {
                    "name": {"type": "string", "title": "Name", "description": "Name shown in the legend."},
                    "points": {"type": "array", "title": "Points", "items": {"$ref": "#/$defs/Point"}, "minItems": 1},
                    "color": {"type": "string", "title": "Color", "pattern": "^#[0-9a-fA-F]{6}$", "examples": ["#1f77b4"]},
                },
                "required": ["name", "points"],
            },
            "Point": {
                "type": "object",
                "title": "Point",
                "properties": {
                    "x": {"anyOf": [{"type": "number"}, {"type": "string"}], "title": "X"},
                    "y": {"type": "number", "title": "Y"},
                },
                "required": ["x", "y"],
            },
        },
    ),
)

_DOCUMENTS = (
    closed(
        "read_document",
        "Read a document of an office format and return its text as Markdown: PDF, Word, Excel, PowerPoint, OpenDocument, RTF "
        "and EPUB are supported. Tables are converted to Markdown tables. For long documents read a range of pages at a time.",
        {
            "file_path": text("Path of the document.", minLength=1),
            "pages": text("Pages or sheets to read, for example 1-5,8. Defaults to all of them.", pattern="^[0-9,\\- ]+$"),
            "max_chars": integer(
                "Maximum number of characters to return. Default: 50000.", minimum=1000, maximum=500000, default=50000
            ),
        },
        ("file_path",),
    ),
)

_STYLES = choice("Styling approach. Default: tailwind.", "tailwind", "css", "inline", default="tailwind")

_UI = (
    closed(
        "generate_ui_component",
        "Generate the source code of a user interface component from a description. Returns the code and writes it to a file "
        "if a path is given. Supported are React, Vue, Svelte and plain HTML.",
        {
            "description": text("What the component looks like and does.", minLength=5, maxLength=4000),
            "framework": choice("Target framework. Default: react.", "react", "vue", "svelte", "html", default="react"),
            "styling": _STYLES,
            "props": listed(
                "Properties that the component takes.",
                {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9]*$"},
                        "type": {"type": "string"},
                        "required": {"type": "boolean", "default": False},
                    },
                    "required": ["name", "type"],
                    "additionalProperties": False,
                },
                maxItems=30,
            ),
            "output_path": text("File to write the component to."),
        },
        ("description",),
    ),
    closed(
        "render_and_preview_ui",
        "Render a user interface component in a headless browser and return a screenshot, so that you can check how it looks. "
        "Errors from the console are returned too.",
        {
            "code": text("Source code of the component.", minLength=1, maxLength=500000),
            "framework": choice("Framework of the code. Default: react.", "react", "vue", "svelte", "html", default="react"),
            "width": integer("Width of the viewport in pixels. Default: 1280.", minimum=320, maximum=3840, default=1280),
            "dark_mode": flag("Whether the page prefers dark colors. Default: false.", default=False),
        },
        ("code",),
    ),
    closed(
        "extract_ui_data",
        "Extract structured data from a rendered page by CSS selectors. For each field a selector is given; the answer "
        "contains one record for each matching container.",
        {
            "url": _URL,
            "container": text("CSS selector of the element that holds one record. Example: .product-card", minLength=1),
            "fields": {
                "type": "object",
                "description": "Field names and the CSS selectors of their values.",
                "additionalProperties": {"type": "string"},
                "minProperties": 1,
            },
        },
        ("url", "container", "fields"),
    ),
)

_UTILITIES = (
    plain(
        "get_system_info",
        "Get information about the machine: operating system and version, processor, memory, disks, host name and the "
        "versions of installed runtimes such as Node.js and Python.",
        {"include_runtimes": flag("Whether the versions of runtimes are looked up. Default: true.", default=True)},
    ),
    plain(
        "system_monitor",
        "Measure the current load of the machine: processor usage, memory, disk and network activity over a short interval.",
        {"interval_seconds": decimal("How long to measure. Default: 1.", minimum=0.1, maximum=30, default=1)},
    ),
    plain(
        "process_list",
        "List running processes with id, name, processor share and memory, sorted by the chosen column.",
        {
            "filter": text("Only processes whose names contain this text.", maxLength=100),
            "sort_by": choice("Column to sort by. Default: cpu.", "cpu", "memory", "name", "pid", default="cpu"),
            "limit": integer("Maximum number of processes. Default: 25.", minimum=1, maximum=500, default=25),
        },
    ),
    plain(
        "env_inspect",
        "Show environment variables of the current process. Values that look like secrets are masked.",
        {
            "name": text("Name of a single variable. If omitted, all variables are listed.", maxLength=200),
            "prefix": text("Only variables whose names begin with this text. Example: NODE_", maxLength=100),
        },
    ),
    plain(
        "env_update",
        "Set or remove a variable in a .env file. Comments and the order of the other lines are kept. The running process is "
        "not affected.",
        {
            "name": text("Name of the variable.", pattern="^[A-Za-z_][A-Za-z0-9_]*$", maxLength=200),
            "value": text("New value. Leave it out to remove the variable.", maxLength=10000),
            "file_name": text("Path of the file. Default: .env", default=".env"),
        },
        ("name",),
    ),
    plain(
        "read_clipboard",
        "Read the text that is currently in the clipboard of the user's desktop. Only use this when the user refers to "
        "something they have copied.",
        {
            "max_chars": integer(
                "Maximum number of characters to return. Default: 20000.", minimum=1, maximum=1000000, default=20000
            )
        },
    ),
    plain(
        "write_clipboard",
        "Put text into the clipboard of the user's desktop, so that the user can paste it elsewhere. What was in the clipboard "
        "before is lost.",
        {"content": text("Text to put into the clipboard.", minLength=1, maxLength=1000000)},
        ("content",),
    ),
    plain(
        "send_notification",
        "Show a notification on the user's desktop. Use this at the end of a long task or when you need the attention of the "
        "user.",
        {
            "title": text("Title of the notification.", minLength=1, maxLength=100),
            "message": text("Text of the notification.", maxLength=500),
            "urgency": choice("How important it is. Default: normal.", "low", "normal", "critical", default="normal"),
        },
        ("title",),
    ),
    plain(
        "hash_file",
        "Calculate the checksum of a file. Compare it with a published value to find out whether a download is intact.",
        {
            "file_path": text("Path of the file.", minLength=1),
            "algorithm": choice(
                "Hash algorithm. Default: sha256.", "md5", "sha1", "sha256", "sha512", "blake2b", default="sha256"
            ),
            "expected": text("Value to compare with. The answer then says whether both are equal.", pattern="^[0-9a-fA-F]+$"),
        },
        ("file_path",),
    ),
    plain(
        "token_count",
        "Count how many tokens a text or a file takes up in the context of a model. Use this before you read something large.",
        {
            "content": text("The text to count. Either this or file_path is needed.", maxLength=10000000),
            "file_path": text("Path of the file to count."),
            "model": text("Name of the model whose tokenizer is used. Defaults to the current model."),
        },
    ),
    plain(
        "convert_format",
        "Convert data between formats: JSON, YAML, TOML and CSV into each other, Markdown to HTML, base64 encoding and "
        "decoding, and packing and unpacking of zip archives.",
        {
            "action": choice(
                "Which conversion is done.",
                "json_to_yaml",
                "yaml_to_json",
                "json_to_csv",
                "csv_to_json",
                "toml_to_json",
                "json_to_toml",
                "markdown_to_html",
                "base64_encode",
                "base64_decode",
                "zip",
                "unzip",
            ),
            "input": text("Path of the input file, or text for the base64 actions.", minLength=1),
            "output": text("Path of the output file. If omitted, the result is returned as text."),
        },
        ("action", "input"),
    ),
    plain(
        "secret_scan",
        "Scan files for secrets that should not be committed: keys, tokens, passwords and private keys of well-known services. "
        "Findings are masked and rated by severity. Run this before you push.",
        {
            "path": text("File or directory to scan. Defaults to the current working directory."),
            "min_severity": choice(
                "Leave out findings below this severity. Default: low.", "low", "medium", "high", default="low"
            ),
        },
    ),
    plain(
        "port_check",
        "Check whether a TCP port on a host accepts connections, and which local process listens on it.",
        {
            "port": integer("Port number.", minimum=1, maximum=65535),
            "host": text("Host name or address. Default: 127.0.0.1", default="127.0.0.1"),
            "timeout_ms": integer("Time limit in milliseconds. Default: 2000.", minimum=100, maximum=30000, default=2000),
        },
        ("port",),
    ),
    plain(
        "package_manage",
        "Install, remove, update or list packages of the project with its own package manager. The package manager is detected "
        "from lock files and can be named explicitly. Installing runs scripts of third parties, so ask the user first.",
        {
            "action": choice("What to do.", "install", "remove", "update", "list", "outdated"),
            "packages": listed(
                "Names of the packages, with an optional version such as lodash@4.", {"type": "string"}, maxItems=50
            ),
            "manager": choice(
                "Package manager. Default: auto.", "auto", "npm", "pnpm", "yarn", "pip", "uv", "cargo", default="auto"
            ),
            "dev": flag("Whether the packages are only needed for development. Default: false.", default=False),
        },
        ("action",),
    ),
    plain(
        "json_query",
        "Query a JSON file with a path expression and return the matching part, without loading the whole file into the "
        "conversation. Supported are field names, indexes and wildcards, for example .data.users[0].name or .items[*].id.",
        {
            "file_path": text("Path of the JSON file.", minLength=1),
            "query": text("The path expression. A single dot returns everything.", minLength=1, maxLength=1000),
            "output_format": choice("Form of the answer. Default: text.", "text", "json", "csv", default="text"),
        },
        ("file_path", "query"),
    ),
    plain(
        "get_current_working_directory",
        "Get the absolute path of the current working directory, against which relative paths are resolved.",
        {},
    ),
)

FAMILIES = (
    ("web", _WEB),
    ("browser", _BROWSER),
    ("images", _IMAGES),
    ("charts", _CHARTS),
    ("documents", _DOCUMENTS),
    ("ui", _UI),
    ("utilities", _UTILITIES),
)
"""Family name and its tools."""
