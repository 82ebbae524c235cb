_TAGS = """
    a abbr acronym address area article aside audio b bdi bdo big blockquote br caption center cite code col colgroup
    data dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i iframe
    img ins kbd li main map mark menu meter nav nobr ol p picture pre progress q rb rp rt rtc ruby s samp section
    small
    source span strike strong sub summary sup table tbody td tfoot th thead time tr track tt u ul var video wbr
"""
TAGS = frozenset(_TAGS.split())
# In a title, an author or another text of one line.
_INLINE = """
    a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd mark q rp rt ruby s samp small span strike
    strong sub sup time tt u var wbr
"""
INLINE = frozenset(_INLINE.split())
# Removed together with their text, which is not meant to be read.
_WITH_TEXT = """
    script style template noscript noembed noframes object applet title xmp svg math select textarea head
"""
WITH_TEXT = frozenset(_WITH_TEXT.split())
# With the others, all elements that a browser knows.
_OTHERS = """
    base basefont bgsound body button canvas command content datalist dialog embed fencedframe fieldset form frame
    frameset geolocation html image input isindex keygen label legend link listing marquee meta multicol nextid option
    optgroup output param permission plaintext portal search selectedcontent shadow slot spacer blink foreignobject
    animate animatetransform animatemotion set use image mtext mi mo mn ms mglyph annotation desc discard handler
"""
ELEMENTS = TAGS | WITH_TEXT | frozenset(_OTHERS.split())

_ANYWHERE = "class id style title lang dir align role tabindex translate hidden itemprop itemscope itemtype"
_TABLE = (
    "abbr axis bgcolor border bordercolor cellpadding cellspacing char charoff colspan background frame headers height "
    "nowrap rowspan rules scope span summary valign width"
)
_MEDIA = "src width height controls autoplay loop muted poster preload playsinline"
ATTRIBUTES: dict[str, frozenset[str]] = {
    name: frozenset(names.split())
    for name, names in {
        "*": _ANYWHERE,
        **dict.fromkeys(("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"), _TABLE),
        "a": "href name target rel hreflang type download",
        "area": "href alt coords shape target rel download",
        "audio": _MEDIA,
        "video": _MEDIA,
        "source": "src srcset sizes type media width height",
        "track": "src kind srclang label default",
        "img": "src srcset sizes alt width height border hspace vspace usemap ismap loading decoding longdesc",
        "map": "name",
        "iframe": "src width height frameborder scrolling allowfullscreen loading marginwidth marginheight name",
        "blockquote": "cite",
        "q": "cite",
        "del": "cite datetime",
        "ins": "cite datetime",
        "time": "datetime",
        "data": "value",
        "meter": "value min max low high optimum",
        "progress": "value max",
        "details": "open",
        "font": "color face size",
        "hr": "color noshade size width",
        "br": "clear",
        "li": "value type",
        "ol": "start reversed type compact",
        "ul": "type compact",
        "pre": "width",
    }.items()
}
del _ANYWHERE, _TABLE, _MEDIA

# Nothing to cover the page around a body: no position, no z-index.
_STYLES = """
    align-content align-items align-self aspect-ratio background background-attachment background-clip
    background-color background-image background-origin background-position background-repeat background-size border
    border-bottom border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style
    border-bottom-width border-collapse border-color border-image border-left border-left-color border-left-style
    border-left-width border-radius border-right border-right-color border-right-style border-right-width
    border-spacing border-style border-top border-top-color border-top-left-radius border-top-right-radius
    border-top-style border-top-width border-width box-shadow box-sizing break-after break-before break-inside
    caption-side clear color column-count column-gap column-rule column-width columns direction display empty-cells
    flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap float font font-family
    font-feature-settings
    font-kerning font-size font-size-adjust font-stretch font-style font-variant font-weight gap grid grid-area
    grid-auto-flow grid-column grid-gap grid-row grid-template grid-template-areas grid-template-columns
    grid-template-rows height hyphens justify-content justify-items justify-self letter-spacing line-break line-height
    list-style list-style-position list-style-type margin margin-bottom margin-left margin-right margin-top max-height
    max-width min-height min-width object-fit object-position opacity order orphans outline outline-color outline-style
    outline-width overflow overflow-wrap overflow-x overflow-y padding padding-bottom padding-left padding-right
    padding-top page-break-after page-break-before page-break-inside quotes row-gap ruby-align ruby-position tab-size
    table-layout text-align text-align-last text-combine-upright text-decoration text-decoration-color
    text-decoration-line text-decoration-style text-decoration-thickness text-emphasis text-indent text-justify
    text-orientation text-overflow text-shadow text-transform text-underline-offset text-wrap unicode-bidi
    vertical-align visibility white-space widows width word-break word-spacing word-wrap writing-mode zoom
"""
STYLES = frozenset(_STYLES.split())
