"""The words by which shapes that could be prose or names are told apart."""

from __future__ import annotations

__all__ = [
    "BRANDS",
    "DIRECTORIES",
    "DOMAINS",
    "ERROR_NAMES",
    "EXTENSIONS",
    "LABELS",
    "MONTHS",
    "NO_TICKETS",
    "PROSE",
    "SPOKEN_UNITS",
    "UNITS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXTENSIONS = _words(
    "py pyi pyx ipynb js mjs cjs jsx ts mts cts tsx vue svelte astro go rs c h cc cpp cxx hpp hh m swift "
    "kt kts java scala groovy clj ex exs erl hs ml rb php pl pm lua jl dart zig nim cs fs vb sh bash zsh "
    "fish ps1 bat cmd sql graphql gql proto thrift html htm xhtml css scss sass less md mdx rst txt adoc "
    "tex org json jsonl json5 jsonc yaml yml toml ini cfg conf properties xml xsd svg png jpg jpeg gif "
    "webp ico bmp pdf doc docx xls xlsx ppt pptx csv tsv parquet db sqlite sqlite3 diff patch zip tar gz "
    "tgz bz2 xz zst 7z jar war whl egg deb rpm dmg exe dll so dylib obj bin wasm mp3 mp4 wav mov avi ttf "
    "otf woff woff2 tf tfvars hcl pony cmake mk gradle tmpl tpl j2 ejs hbs pem crt csr plist bak orig rej "
    "swp pid srt vtt snap"
)
"""Of files, in lower case."""
DIRECTORIES = _words(
    "src lib libs test tests testing docs doc bin app apps pkg cmd packages scripts script config configs "
    "build dist public static include internal vendor node_modules examples example tools util utils "
    "components pages api server client core modules plugins assets templates spec specs e2e origin "
    "upstream feature feat fix bugfix hotfix release refs heads tags usr etc var tmp opt home root proc "
    "sys dev mnt workspace repo archive"
)
"""What relative paths and branches begin with, where ``a/b`` alone could be prose."""
DOMAINS = _words("com org net io dev ai edu gov jp cn de uk fr eu ru kr tw nl")
"""The last parts of hosts' names that are told from a method's name."""
ERROR_NAMES = _words(
    "ENOENT EACCES EPERM EEXIST ENOTDIR EISDIR EINVAL EMFILE ENOSPC EPIPE EAGAIN EBUSY ENOMEM ENOTEMPTY "
    "ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EADDRINUSE EADDRNOTAVAIL EHOSTUNREACH ENETUNREACH "
    "ENOTFOUND ERESOLVE EUSAGE EINTEGRITY ELIFECYCLE EBADENGINE ELOOP EROFS ENXIO ESRCH EINTR"
)
"""The codes of errors that systems and package managers name so."""
LABELS = _words("error fatal panic failed failure err fehler erreur ошибка exception abort")
"""What stands before a colon and a message."""
NO_TICKETS = _words("utf sha iso rfc ieee covid gpt aes md tls http mp ipv usb ascii cp gb a b c")
"""What stands before a hyphen and a number in names of standards and products."""
PROSE = _words(
    "and/or either/or he/she she/he his/her him/her s/he w/o n/a i/o input/output read/write yes/no "
    "on/off true/false client/server pass/fail up/down e.g i.e e.g. i.e. a.m p.m a.k.a etc u.s u.k ph.d "
    "node.js next.js vue.js d3.js three.js react.js express.js nuxt.js asp.net .net 24/7 km/h tcp/ip "
    "ci/cd ui/ux c/c++ /dev/null /dev/stdout /dev/stderr before/after start/stop success/failure "
    "request/response add/remove open/close public/private"
)
"""What has the form of a path, a host or a symbol, and is a word of prose."""
BRANDS = _words(
    "GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite MongoDB GraphQL "
    "YouTube LinkedIn OpenAI DeepSeek DeepMind HuggingFace LangChain PyTorch TensorFlow NumPy SciPy "
    "JetBrains IntelliJ PyCharm WebStorm VSCode PowerShell PowerPoint WordPress iOS macOS iPhone iPad "
    "iCloud watchOS tvOS eBay WebSocket WebSockets WebAssembly WebGL OpenGL DevOps FastAPI LaTeX BibTeX "
    "CircleCI DynamoDB CloudFront CloudFlare DigitalOcean JUnit PyPI IDs APIs URLs PRs CLIs UIs LLMs "
    "TODOs MBs GBs WhatsApp ChatGPT McDonald CPUs GPUs VMs OSes CSVs PDFs SDKs IDEs JSONs QSocket OAuth "
    "IPv4 IPv6 UTF8 ReadMe readMe NodeJS NextJS ElasticSearch RabbitMQ ClickHouse BigQuery ARIA ESLint "
    "DuckDB OpenTelemetry SwiftUI RxJS"
)
"""Names of products that are written like names in code, and plurals of capitals: prose has them by
itself."""

UNITS = {
    **dict.fromkeys(("B", "byte", "bytes"), "b"),
    **dict.fromkeys(("KB", "kB", "kb", "kilobytes"), "kb"),
    **dict.fromkeys(("MB", "Mb", "megabytes"), "mb"),
    **dict.fromkeys(("GB", "gigabytes"), "gb"),
    **dict.fromkeys(("TB", "terabytes"), "tb"),
    **{name: name.lower() for name in ("KiB", "MiB", "GiB", "TiB")},
    **dict.fromkeys(("ns", "nanoseconds"), "ns"),
    **dict.fromkeys(("us", "µs", "μs", "microseconds"), "us"),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "毫秒", "ミリ秒"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分", "分钟", "分鐘", "分間"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "小時", "時間"), "h"),
    **dict.fromkeys(("d", "day", "days", "天", "日間"), "d"),
    **dict.fromkeys(("k", "K", "thousand"), "k"),
    **dict.fromkeys(("M", "million", "m"), "m"),
    **dict.fromkeys(("bn", "billion"), "bn"),
    **dict.fromkeys(("万", "萬"), "万"),
    **dict.fromkeys(("亿", "億"), "亿"),
    **{name: name.lower() for name in ("px", "pt", "em", "rem", "vh", "vw", "fps", "rpm", "dpi")},
    **{
        name: name.lower()
        for name in ("Hz", "kHz", "MHz", "GHz", "W", "kW", "kWh", "V", "mA", "Mbps", "Gbps")
    },
    **{name: name for name in ("mm", "cm", "km", "kg", "mg", "g", "ml", "x", "°C", "°F")},
    **dict.fromkeys(("percent", "per cent", "％", "%"), "%"),
    **dict.fromkeys(("元", "块", "人民币"), "元"),
    **dict.fromkeys(("円", "日元"), "円"),
    **dict.fromkeys(("USD", "dollars"), "$"),
    **dict.fromkeys(("EUR", "euros", "€"), "€"),
}
"""Spellings of units → one for each."""
SPOKEN_UNITS = frozenset(
    unit
    for unit in UNITS
    if (len(unit) > 1 or not unit.isascii() or unit in "sBh%") and unit not in ("em", "pt", "us")
)
"""Those that also stand behind a number and a space."""

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier januar enero",
            "february feb février februar febrero",
            "march mar mars märz marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juin juni junio",
            "july jul juillet juli julio",
            "august aug août agosto",
            "september sep sept septembre septiembre",
            "october oct octobre oktober octubre",
            "november nov novembre noviembre",
            "december dec décembre dezember diciembre",
        ),
        1,
    )
    for name in names.split()
}
"""Names of months, in lower case → 1 to 12."""
