"""The website that visitors see."""

from tools.tour.registry import part, stop

part("The website", "网站")


@stop("The sample site, as visitors see it.", "访客看到的示例网站。", by="nobody", on_phone=True)
def website(tour):
    tour.open(tour.say("/", "/zh/"))


@stop("A page of a content.", "内容页。", by="nobody")
def website_content(tour):
    channel, content = tour.say(("ferry", "Aboard the Chaoxin"), ("zhencang", "雾钟"))
    tour.open(f"/contents/{tour.world.channels[channel]}/{tour.world.contents[content]}.html")
