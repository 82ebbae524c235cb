"""Places of a template, in which `@` stands for a value, and values that would call `ran()` there."""

# ruff: noqa: E501 - one line has several short cases

from pages.engine.scope import Budget, Kind, Limits, PageFacts, Scope
from pages.engine.template import Template, compile_include

BREAKS = [
    "'",
    '"',
    "`",
    "')",
    '")',
    "');",
    '");',
    "`)",
    "\\",
    "\n",
    "*/",
    "/",
    "//",
    "-->",
    "--!>",
    "}",
    "};",
    "</script>",
]
CALLS = ["ran()", "ran`1`", "ran&lpar;&rpar;", "ran&#40;&#41;", "ran%28%29", "\\u0072an()", "[ran][0]()"]
PAYLOADS = [
    *CALLS,
    *(f"{mark}{call}//" for mark in BREAKS for call in ("ran()", "-ran()-")),
    *(f"{mark}-ran()-{mark}" for mark in ("'", '"', "`", "&#39;", "&quot;", "&apos;", "%27", "\\'", "\\x27")),
    "${ran()}", "{ran()}", "$", "\\", "&#39;);ran()//", "%27);ran()//", "');ran();('", "\u2028ran()\u2028", "]-ran()-[",
    "<script>ran()</script>", "&lt;script&gt;ran()&lt;/script&gt;", "</script><script>ran()</script>",
    "<img src=x onerror=ran()>", "\"><img src=x onerror=ran()>", "'><img src=x onerror=ran()>", "><img src=x onerror=ran()>",
    "x onerror=ran() onload=ran() onclick=ran() ", "\" onclick=\"ran()", "' onclick='ran()", "&#34; onclick=&#34;ran()",
    "</title><img src=x onerror=ran()>", "</textarea><img src=x onerror=ran()>", "</style><img src=x onerror=ran()>",
    "--><img src=x onerror=ran()>", "--!><img src=x onerror=ran()>", "]]><img src=x onerror=ran()>", "</noscript><img src=x onerror=ran()>",
    "&lt;img src=x onerror=ran()&gt;", "&amp;lt;img src=x onerror=ran()&amp;gt;",
    "javascript:ran()", "JaVaScRiPt:ran()", " javascript:ran()", "java\nscript:ran()", "java\tscript:ran()", "\x01javascript:ran()",
    "javascript&colon;ran()", "&#106;avascript:ran()", "javascript&#58;ran()", "java&Tab;script:ran()", "javascript:%72an()",
    "vbscript:ran()", "data:text/html,<script>parent.ran()</script>", "data:text/javascript,ran()", "data:image/svg+xml,<svg onload=ran()>",
    "0;url=javascript:ran()", "script:ran()", ":ran()", "script", "onclick", "onload", "img src=x onerror=ran() ", "/img/src=x/onerror=ran()",
    "red;background:url(javascript:ran())", "",
]  # fmt: skip
# A value may be anything here.
PLACES = [
    '<a href="javascript:f(\'@\')">x</a>', "<a href='javascript:f(\"@\")'>x</a>", "<a href=javascript:f('@')>x</a>",
    '<a href="javascript:@">x</a>', '<a href="javascript:f(@)">x</a>', "<a href=\"JAVA&#115;cript:f('@')\">x</a>",
    "<a href=\"java\tscript:f('@')\">x</a>", "<a href=\" javascript:f('@')\">x</a>", '<a href="javascript:f(`@`)">x</a>',
    '<a href="javascript&colon;f(\'@\')">x</a>', "<a href=\"javascript:/* @ */f('@')\">x</a>",
    "<stl:a href=\"javascript:f('@')\">x</stl:a>", '<stl:a href="javascript:f(@)">x</stl:a>', "<stl:a href='@'>x</stl:a>",
    "<stl:a href='java@'>x</stl:a>", "<stl:a href='@script:ran()//@'>x</stl:a>", "<stl:a host='@' href='x'>x</stl:a>",
    "<stl:a onclick=\"f('@')\">x</stl:a>", "<stl:a onclick=\"f(@)\">x</stl:a>", "<stl:a style='color:@' title='@'>x</stl:a>",
    "<p onclick=f('@')>x</p>", "<p onclick=f(@)>x</p>", "<p onclick=@>x</p>", '<p onclick="@">x</p>', "<p onclick='f(@)'>x</p>",
    "<p onclick = f('@') title=x>x</p>", "<p ONCLICK=\"f('@')\">x</p>", "<p onclick='f(`@`)'>x</p>", "<p onclick='f(`${@}`)'>x</p>",
    "<p onclick=@ title=\"@\">x</p>", "<p title=@ class=\"@\">x</p>", "<p title=@@ class=\"@\">x</p>", "<p onclick=@@ class='@'>x</p>",
    "<p title=@>x</p>", "<p title='@'>x</p>", '<p title="@">x</p>', "<p @>x</p>", "<p @=\"@\">x</p>", "<p on@=\"@\">x</p>",
    "<p @@='@'>x</p>", "<p onclick='/*@*/'>x</p>", "<p onclick='//@'>x</p>", "<p onclick='/@/.test(1)'>x</p>",

    "<iframe srcdoc=\"<p onclick=f('@')>x</p>\"></iframe>", '<iframe srcdoc="<script>var a = \'@\';</script>"></iframe>',
    "<iframe srcdoc=\"<script>var a = @;</script>\"></iframe>", "<iframe srcdoc=\"<a href='@'>x</a><img alt='@'>\"></iframe>",
    "<iframe srcdoc='&lt;p title=&quot;@&quot;&gt;x'></iframe>",
    "<a href='@'>x</a>", '<a href="@">x</a>', "<a href=@>x</a>", "<a href='java@'>x</a>", "<a href='@script:0'>x</a>",
    "<a href='@@'>x</a>", "<a href='@:@'>x</a>", "<a href='@:f(\"@\")'>x</a>", "<a href='java@(\"@\")'>x</a>", "<a href='@?a=@#@'>x</a>",
    "<a href='<stl:if type=\"x\"><stl:yes>/a/</stl:yes><stl:no>javascript:f(\"</stl:no></stl:if>@\")'>x</a>",
    "<a href='<stl:if type=\"x\">/a</stl:if>@'>x</a>", "<a href='<stl:if type=\"x\"><stl:yes>/a</stl:yes></stl:if>@'>x</a>",
    "<form action='@'><input type=submit></form>", "<form><button formaction='@'>x</button></form>", "<iframe src='@'></iframe>",
    "<object data='@'></object>", "<embed src='@'>", "<script src='@'></script>", "<script src='/x/@.js'></script>",
    "<svg><a xlink:href='@'><text y=9>x</text></a></svg>", "<svg><a href='@'><text y=9>x</text></a></svg>", "<math href='@'>x</math>",
    "<svg><a><animate attributeName=href to='@' begin=0s fill=freeze /><text y=9>x</text></a></svg>",
    "<svg><a><set attributeName=href to='@' /><text y=9>x</text></a></svg>", "<svg><use href='@'></use></svg>",
    "<svg><script>var a = '@';</script></svg>", "<svg><script>var a = @;</script></svg>", "<svg><style>a{color:@}</style></svg>",
    "<svg><title>@</title></svg>",
    "<meta http-equiv=refresh content='0;url=@'>", "<meta content='0;url=@' http-equiv=refresh>", "<meta http-equiv=refresh content='@'>",
    "<link rel=stylesheet href='@'>", "<base href='@'>", "<img src='@'>", "<img src=@>", "<video poster='@' src='@'></video>", "<body background='@'>",
    "<p style='color:@'>x</p>", "<p style=color:@>x</p>", "<p style=\"background:url('@')\">x</p>", "<p style='background:url(@)'>x</p>", "<p style='@'>x</p>",
    "<style>a { color: @ }</style>", "<style>a { background: url(@) }</style>", "<style>a::before { content: '@' }</style>", "<style>@</style>", "<style>/* @ */</style>",
    "<script>var a = '@';</script>", '<script>var a = "@";</script>', "<script>var a = `@`;</script>", "<script>var a = `$@`;</script>", "<script>var a = `${@}`;</script>",
    "<script>var a = @;</script>", "<script>f(@)</script>", "<script>@</script>", "<script>// @\n</script>", "<script>/* @ */</script>", "<script>var a = /@/;</script>",
    "<script>var a = /[@]/, b = '@';</script>", "<script>var a = 1 / 2; var b = '/'; var c = '@';</script>", "<script>var a = '\\@';</script>", "<script>var a = \"\\@@\";</script>",
    "<script>var a = { '@': @, b: [@, @] };</script>", "<script>a@()</script>", "<script>a.@ = 1</script>", "<script><!-- @\n</script>", "<script>var a = '<!--<script>@'; f(@)</script>",
    "<script>var a = '<stl:if type=\"x\"><stl:yes>b'</stl:yes><stl:no>c</stl:no></stl:if>; f(@)</script>", "<script>if (a) /'/.test(b); var a = '@'; f(@)</script>",
    "<script type='module'>var a = '@'; f(@)</script>", "<script type='application/json'>{\"a\": \"@\", \"b\": @}</script>", "<script type='text/template'><p title='@'>@</p></script>", "<script type=@>var a = '@'; f(@)</script>",
    "<!-- @ -->", "<!--@-->", "<!@>", "<![CDATA[ @ ]]>", "<textarea>@</textarea>", "<title>@</title>", "<xmp>@</xmp>",
    "<iframe>@</iframe>", "<noembed>@</noembed>", "<@ title=@>x", "</@>", "<p@ title='@'>x</p>", "<p title='x'@>x</p>",
    "<p onclick=\"f('<stl:include file='a.html' w='@'/>')\">x</p>", "<script>f('<stl:include file='a.html' w='@'/>')</script>", "<script>f(<stl:include file='a.html' w='@'/>)</script>",
    "<script>f(<stl:navigation emptyText='@'/>)</script>",
    "<stl:image src='@' onerror=\"f('@')\"/>", "<script>f(<stl:content type='id' leftText='@'/>)</script>",
]  # fmt: skip
# A stored value is HTML here.
TEXTS = [
    "<svg><desc>@</desc></svg>",
    "<math><mtext>@</mtext></math>",
    "<svg><p title='@'>@</p></svg>",
    "<noscript>@</noscript>",
    "<noscript><p title='@'>@</p></noscript>",
    "<@>@</@>",
    "<h@>@</h@>",
    "<p>@</p>",
    "<@@>@",
    "<select><option @>@</option></select>",
    "<stl:include file='b.html' w='@'/>",
    "<stl:include file='c.html' w='@'/>",
    "<stl:navigation tipText='@' emptyText='@'/>",
    "<stl:content type='id' leftText='@'/>",
    "<iframe srcdoc='<iframe srcdoc=\"@\"></iframe>'></iframe>",
    '<iframe srcdoc="<p>@</p>"></iframe>',
    "<iframe srcdoc='@'></iframe>",
    "<iframe srcdoc=@></iframe>",
]
# Two values beside each other, `@1` and `@2`.
PAIRS = [
    ("java", "script:ran()"), ("javascript", ":ran()"), ("script", "ran()"), ("onclick", "ran()"), ("on", "click=ran()"), ("", "javascript:ran()"),
    ("", "' onclick='ran()"), ("", "\" onclick=\"ran()"), ("\\", "'-ran()-'"), ("\\", "-ran()-"), ("$", "{ran()}"), ("<", "script>ran()</script>"), ("*", "/ran()//"),
    ("srcdoc", "<script>ran()</script>"), ("href", "javascript:ran()"), ("refresh", "0;url=javascript:ran()"), ("", "//evil.example/a.js"), ("data", ":text/html,<script>ran()</script>"),
]  # fmt: skip
PAIRED = [
    "<a href='@1@2'>x</a>", '<a href="@1:@2">x</a>', "<stl:a href='@1@2'>x</stl:a>", "<stl:a host='@1' href='@2'>x</stl:a>", "<p @1='@2'>x</p>", "<p @1=@2>x</p>", "<p @1@2>x</p>", "<iframe @1='@2'></iframe>",
    "<@1>@2</@1>", "<p onclick='@1@2'>x</p>", "<p onclick=@1 title='@2' class=\"@2\">x</p>", "<p title=@1@2 class='@2'>x</p>", "<script>f('@1@2')</script>", "<script>f('@1', '@2')</script>", "<script>f(`@1@2`)</script>",
    "<script>f(@1@2)</script>", "<script>f('@1', \"@2\", @2)</script>", "<script>/* @1@2 */ // @1@2\n</script>", "@1@2", "<!-- @1@2 -->", "<title>@1@2</title>", "<meta http-equiv='@1' content='@2'>", "<script src='/@1/@2'></script>",
    "<a onclick=\"f('@1','@2')\">x</a>", "<iframe srcdoc=\"@1@2\"></iframe>", "<a href=\"javascript:f('@1','@2')\">x</a>",
]  # fmt: skip
INCLUDES = {
    "a.html": "{stl.w}",
    "b.html": "<a href=\"javascript:f('{stl.w}')\" onclick=f({stl.w}) title='{stl.w}'>{stl.w}</a><script>f({stl.w})</script>",
    "c.html": "<stl:include file='b.html' w='{stl.w}'/><stl:a href='{stl.w}'>x</stl:a><a href='{stl.w}'>x</a>",
}  # fmt: skip


class _Source:
    """A site with one content, whose every value is the same text."""

    web_url, site_id = "", 1

    def __init__(self, value):
        self._value = value

    def content_value(self, content, name, attributes):
        return attributes.text("leftText") + self._value

    def channel_value(self, channel, name, attributes):
        return ""

    def site_value(self, name, attributes):
        return ""

    field_kind = site_value

    def neighbour(self, content, *, is_next):
        return None

    def find_channel(self, channel, attributes):
        return channel

    def channel_url(self, channel):
        return "/c.html"

    def resolve(self, address):
        return address

    def read_ahead(self, *given):
        pass


def show(text, *, stored="", **query):
    """The page of a template for the query, with the stored value in each `{content.…}`."""
    content = {"id": 1, "title": stored, "navigationUrl": "/1.html"} if stored else None
    facts = PageFacts("T", "FileTemplate", {"id": 1}, content, "/x.html", 1, query)
    scope = Scope(facts, Budget(Limits()), _Source(stored), Kind.UNDEFINED, {"id": 1}, content, includes=_include)
    return Template(text).render(scope)[0]


def _include(source, path, beginning=None):
    return compile_include(INCLUDES[path], path, beginning)[0]


def pages_of_visitors():
    """Yield each place and payload with the page for it."""
    for place in (*PLACES, *TEXTS):
        for payload in PAYLOADS:
            yield place, payload, show(place.replace("@", "{request.q}"), q=payload)
    for place in PAIRED:
        for first, second in PAIRS:
            text = place.replace("@1", "{request.a}").replace("@2", "{request.b}")
            yield place, f"{first} | {second}", show(text, a=first, b=second)


def pages_of_authors():
    for place in PLACES:
        for payload in filter(None, PAYLOADS):
            yield place, payload, show(place.replace("@", "{content.title}"), stored=payload)


def pages_without_encoding():
    for place in (*PLACES, *TEXTS):
        for payload in PAYLOADS:
            yield place, payload, place.replace("@", payload)
