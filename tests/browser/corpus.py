"""Bodies as people and their tools have written them; ours, by hand."""

# ruff: noqa: E501 - bodies are written as they come

BODIES = {
    "nothing but text": "A line of text, 一行文字 &amp; more",
    "line breaks for paragraphs": "First line<br>Second line<br /><br>After a gap",
    "paragraphs of full-width blanks": "<p>　　港口今日开放。</p>\n<p>　　欢迎参观。</p>",
    "entities": "<p>a&nbsp;&nbsp;b &lt;tag&gt; &copy; &mdash; &#20013; &hellip; &quot;q&quot;</p>",
    "old attributes": '<p align="center"><font color="#ff0000" size="5" face="宋体">通知</font></p><center><b>x</b></center>',
    "old editor": '<DIV style="TEXT-ALIGN: center"><SPAN style="FONT-SIZE: 16pt; COLOR: red">大</SPAN>字</DIV>\r\n<P>&nbsp;</P>',
    "office spans": '<p class="MsoNormal" style="text-indent: 24pt; line-height: 150%"><span style="font-size: 12pt; '
    'font-family: 宋体">正文<span lang="EN-US">2026</span>年</span></p>',
    "phone editor": '<section style="margin: 0 auto; padding: 10px"><section style="display: inline-block; width: 100%">'
    '<p style="margin-top: 1em; text-align: justify"><strong style="color: rgb(0, 82, 255)">要点</strong></p></section></section>',
    "headings": "<h1>1</h1><h2 id='a'>2</h2><h3>3</h3><h4>4</h4><h5>5</h5><h6>6</h6><hr>",
    "lists": "<ul><li>a</li><li><p>b</p><ol start='3' type='a'><li>c<ul><li>d</li></ul></li></ol></li></ul>",
    "list right in a list": "<ol class='a'><li><p>x</p></li><ol style='list-style-type: lower-alpha'><li>deep</li></ol></ol>",
    "definitions": "<dl><dt>Ebb</dt><dd>Water goes</dd><dt>Flood</dt><dd><p>Water comes</p></dd></dl>",
    "table of data": '<table border="1" cellpadding="3" style="width: 100%"><caption>潮汐</caption><colgroup><col width="20%">'
    '<col></colgroup><thead><tr><th scope="col" colspan="2">h</th></tr></thead><tbody><tr><td rowspan="2" bgcolor="#eee">a</td>'
    "<td>b</td></tr><tr><td>c<br>d</td></tr></tbody><tfoot><tr><td>e</td><td></td></tr></tfoot></table>",
    "table for layout": '<table width="100%"><tr><td valign="top"><img src="@/upload/a.jpg" width="120"></td><td><table>'
    "<tr><td>inner</td></tr></table><p>beside</p></td></tr></table>",
    "pictures": '<p style="text-align: center"><img src="@/upload/images/a.jpg" alt="港口" title="t" width="600" height="400" '
    'style="border: 1px solid #ccc"></p><p><a href="@/upload/a.jpg" target="_blank"><img src="/upload/a_s.jpg"></a></p>',
    "figure": '<figure class="image"><img src="@/a.jpg" alt="x"><figcaption>Caption <em>one</em></figcaption></figure>',
    "film of the site": '<p><video src="@/upload/videos/a.mp4" controls="controls" width="420" height="280" '
    'poster="@/a.jpg"></video></p>',
    "film with sources": '<video controls><source src="a.webm" type="video/webm"><source src="a.mp4" type="video/mp4">'
    '<track src="a.vtt" kind="captions">No film here.</video>',
    "sound": '<audio controls src="@/upload/a.mp3"></audio>',
    "embedded page": '<p><iframe src="https://video.example/x?a=1&amp;b=2" width="600" height="400" frameborder="0" '
    "allowfullscreen></iframe></p>",
    "flash": '<p><embed src="a.swf" type="application/x-shockwave-flash" width="10" height="10"></p>'
    '<object data="a.swf"><param name="movie" value="a.swf"></object>',
    "pages": "<p>one</p>\n[SITESERVER_PAGE]\n<p>two</p>",
    "template tags": '<stl:content type="Title"></stl:content><p>a <stl:a href="x">b</stl:a> c</p>',
    "comments": "<!-- above --><p>a<!-- inside -->b</p><!-- below -->",
    "style and script": "<style>p { color: red }</style><p>a</p><script>var a = '<b>';</script>",
    "code": "<pre><code>if (a &lt; b) {\n\treturn  1;\n}</code></pre><p><code>x  y</code></p><pre>\n\nafter a blank line</pre>",
    "quotations": '<blockquote cite="https://a.example/"><p>a</p><footer>b</footer></blockquote><p><q>c</q></p>',
    "marks in marks": "<p><b>a<i>b<u>c</u></i></b><i>d<b>e</b></i><s>f</s><del>g</del><sub>1</sub><sup>2</sup><mark>h</mark></p>",
    "ruby": "<p><ruby>汉<rp>(</rp><rt>hàn</rt><rp>)</rp></ruby>字</p>",
    "details": "<details open><summary>Show <b>all</b></summary><p>text</p></details>",
    "anchors and icons": '<p><a name="top"></a>a<i class="icon icon-star"></i><span id="x"></span></p><a id="y"></a>',
    "link around blocks": '<a href="/x" class="card"><div><h3>Head</h3><p>text</p></div></a>',
    "div soup": "<div>a<div>b<p>c</p>d</div>e<span>f</span></div>g",
    "data and roles": '<div data-kind="tide" role="note" aria-label="n" itemscope itemtype="https://schema.org/Thing">x</div>',
    "right to left": '<p dir="rtl" lang="ar">مرحبا <bdo dir="ltr">abc</bdo></p>',
    "formulas": '<p>a <math><mi>x</mi></math> <svg width="10" height="10"><circle r="5"></circle></svg></p>',
    "form": '<form action="/x"><label for="a">A</label> <input id="a"><button>go</button></form>',
    "map": '<img src="a.jpg" usemap="#m"><map name="m"><area shape="rect" coords="0,0,1,1" href="/x" alt="x"></map>',
    "left open": "<p>one<p>two <b>bold<p>three</b><ul><li>a<li>b</ul>",
    "spaces": "<p>  a   <b> b </b>  c  </p>   <p>\n d\n</p>",
    "blank lines": "<p></p><p><br></p><p>&nbsp;</p><div><br></div><p> </p>",
    "emoji": "<p>👩‍👩‍👧 𠮷野家 e\u0301</p>",
}
# What cannot be edited visually without a change, and so opens as source and stays byte for byte.
AS_SOURCE = {
    "text beside items": "<ul>beside<li>in</li></ul>",
}
