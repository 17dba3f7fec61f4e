"""The invented publishers of the demonstration, and what they write."""

from feedloom.demo.invented_posts import Blog

_CODE = (
    """<p>The whole scheduler fits in one function, which is the nicest thing about it:</p>
<pre><code>def next_run(now, interval, floor):
    planned = now + max(interval, floor)
    return planned + jitter(interval / 10)
</code></pre>
<p>Everything else is a table with one row per feed. When the process dies, the row is
still there, and whoever wakes up next simply carries on. We measured a week of it:</p>
<table><thead><tr><th>Day</th><th>Polls</th><th>Not modified</th></tr></thead>
<tbody><tr><td>Monday</td><td>4,812</td><td>91 %</td></tr>
<tr><td>Tuesday</td><td>4,655</td><td>92 %</td></tr>
<tr><td>Sunday</td><td>3,120</td><td>96 %</td></tr></tbody></table>
<blockquote><p>A poll that changes nothing should cost nothing.</p></blockquote>
<p>That sentence hangs over my desk now. It is also the shortest specification I ever
wrote that survived a year.</p>""",
)

_LONG = (
    """<p>I have taken this boat every April for nine years. The timetable has changed four
times, the captain twice, the coffee never. What changes is the coast: a little less of it
each spring, and a little more to say about what is left.</p>
<h2>What the maps leave out</h2>
<p>On paper the island is a comma. In the fog it is a sound, first a bell and then gulls, and
then the engine drops to a mutter and there is a wall with a ladder on it, which is the
island.</p>
<ul><li>Bring boots that may get wet.</li><li>Bring change for the honesty box.</li>
<li>Leave the drone at home; the terns do not like it.</li></ul>
<p>The path goes round in four hours if you do not stop, and nobody has ever not stopped. At
the far end somebody has built a bench out of driftwood, facing nothing in particular, and it
is the best seat I know.</p>""",
    (
        "<p>There is more to say about it, but not today: the kettle is on, and the light is"
        " going. I have put two pictures into the drawer with the others.</p>"
        "<h2>Afterwards</h2><p>Three people wrote to say that they had seen the same thing"
        " from the other side. We agreed to compare notes in April.</p>"
    ),
)

_NEWS = (
    "<p>A longer account, with a map and a timetable, follows at the weekend.</p>",
    (
        "<p>The vote was eleven to four. The minutes hang at the town hall until Friday.</p>"
        "<p>Two of the four said that they had meant to vote the other way.</p>"
    ),
    "<p>Work begins in spring and should take six weeks; the road stays open.</p>",
    "<p>It costs about as much as a small van, and half of it is paid by the county.</p>",
    "<p>Who has questions may come on Saturday, when the office is open until noon.</p>",
    (
        "<p>Nothing changes for those who already have a card.</p>"
        "<p>The others need a photograph and some patience.</p>"
    ),
)

_ARABIC = (
    (
        "<p>وصلنا إلى الجزيرة قبل شروق الشمس، وكان البحر هادئا كأنه صفحة لم تكتب بعد.</p>"
        "<p>في الطريق إلى المنارة تعلمت أن أمشي ببطء.</p>"
    ),
)

BLOGS = (
    Blog(
        "tidewrack",
        "Tidewrack",
        "Slow reading",
        "One coast, one boat, and what the tide leaves behind.",
        (
            (
                "The first boat of the year",
                "The ferry leaves at six, when the harbour is still the colour of slate.",
            ),
            (
                "A bench facing nothing in particular",
                "Somebody built it out of driftwood, and nobody has ever said who.",
            ),
            (
                "How to read a chart that lies",
                (
                    "Every chart of this coast is right about the rocks and wrong about the"
                    " sand."
                ),
            ),
            (
                "Notes from a small harbour",
                "Eleven boats, nine of them in the water, one of them for sale.",
            ),
            (
                "Six kinds of rope, and when to trust them",
                "The short answer is: trust none of them with a knot you cannot name.",
            ),
        ),
        _LONG,
        "Maren Holt",
        19.0,
        2.0,
    ),
    Blog(
        "quiet-machines",
        "Quiet Machines",
        "Computing",
        "Small programs that run for years.",
        (
            (
                "A scheduler in one function",
                "Last week I deleted four thousand lines and kept forty.",
            ),
            (
                "Leases, or how to lend work to strangers",
                (
                    "A lock says mine; a lease says mine until noon, and that is the whole"
                    " difference."
                ),
            ),
            (
                "The database was never the slow part",
                "We measured for a month before we believed it.",
            ),
            (
                "What we learned from killing our own workers",
                "For a year now a small script kills one process every ten seconds.",
            ),
            (
                "Deleting a cache and making things faster",
                (
                    "The cache was right nine times out of ten, which is the worst possible"
                    " number."
                ),
            ),
            (
                "Ten years of one small program",
                "It has had two authors, one rewrite and no meetings.",
            ),
            (
                "Clocks that go backwards",
                "Somewhere in the log it is always half past two, twice.",
            ),
        ),
        _CODE,
        "Ines Okafor",
        5.0,
        0.4,
    ),
    Blog(
        "breadnotes",
        "Bread Notes",
        "Home",
        "Flour, water, salt, and notes on what went wrong.",
        (
            ("Rye, finally", "Three things went right today, and one was the rye."),
            (
                "The oven that runs cold",
                "Mine says 230 and means 205. Here is the proof.",
            ),
            ("Salt, by weight", "A spoon is not a measure, it is an opinion."),
            (
                "What to do with the heel of the loaf",
                "Nine uses, of which seven are soup.",
            ),
        ),
        (
            (
                "<p>Flour, water, salt, and the patience to leave it alone. Quantities are at"
                " the end, for whoever wants to repeat the accident on purpose.</p>"
            ),
        ),
        every_h=22.0,
        first_h=5.0,
    ),
    Blog(
        "pocket-radio",
        "Pocket Radio Hour",
        "Listening",
        "Thirty minutes about things with a dial.",
        (
            (
                "Episode 48: One screw left over",
                "We take a pocket radio apart on the kitchen table and put it back together.",
            ),
            (
                "Episode 47: Voices under the bridge",
                "A tunnel that repeats what you say, a little later and much more calmly.",
            ),
            (
                "Episode 46: The last weather ship",
                "Two months at sea for one number an hour.",
            ),
        ),
        ("<p>Guest this time: nobody, we ran out of chairs.</p>",),
        every_h=60.0,
        first_h=9.0,
        audio=True,
    ),
    Blog(
        "field-desk",
        "The Field Desk",
        "News",
        "Short news from the villages between two rivers.",
        (
            (
                "Night trains return to the northern line",
                "From May there will be a sleeper again, three times a week.",
            ),
            (
                "Town council votes to keep its library open on Sundays",
                "The vote was closer than the queue at the door suggested.",
            ),
            (
                "Reservoirs reach their spring level three weeks early",
                "A wet winter has filled what two dry summers had emptied.",
            ),
            (
                "A bridge is closed, and a village finds out what it was for",
                "The detour takes forty minutes and leads past everybody's cousin.",
            ),
            (
                "Electric buses: the first winter in numbers",
                "They were late less often than the old ones, and warmer.",
            ),
            (
                "Harbour strike ends after eleven days",
                "Both sides call the result a beginning.",
            ),
            (
                "Old orchard varieties get a public register",
                "Four hundred apples now have a name that somebody can look up.",
            ),
            (
                "What the new noise limits mean for wind farms",
                "Less at night, the same by day, and a meter on every third tower.",
            ),
            (
                "Farmers and hikers agree on one gate",
                "It took two years, and it opens both ways.",
            ),
            (
                "Street by street: where the lime trees will go",
                "Six hundred saplings, and a map to find yours.",
            ),
            (
                "The last phone box gets a library card",
                "It lends forty books and, by agreement, no umbrellas.",
            ),
            (
                "School kitchen cooks for the whole valley",
                "Three hundred meals a day, and the soup is never the same twice.",
            ),
            (
                "Two choirs merge after a quarrel about a key",
                "They will sing in D, and nobody is asked to say why.",
            ),
            (
                "Beavers finish what the planning office started",
                "The pond is where the map wanted it, and it cost nothing.",
            ),
            (
                "Ferry timetable changes on the first of the month",
                "The early boat leaves ten minutes later, which is to say on time.",
            ),
            (
                "Volunteers count swifts for the eleventh summer",
                "There are more of them than roofs with room for them.",
            ),
            (
                "Market hall reopens with its old clock",
                "It is four minutes fast, as it has been since 1911.",
            ),
            (
                "A well that was lost on paper is found again",
                "It was under the bus stop, and it was dry.",
            ),
            (
                "Village shop stays open, run by its customers",
                "Ninety-one people own it, and two of them can work the till.",
            ),
            (
                "Seed swap draws more people than the election",
                "Beans were the most popular candidate.",
            ),
        ),
        _NEWS,
        every_h=6.0,
        first_h=0.2,
    ),
    Blog(
        "letterpress",
        "Letterpress Weekly",
        "Slow reading",
        "Type, paper and ink, once a week.",
        (
            ("The return of the long s", "It was never gone, it was only mistaken."),
            ("On margins", "A page is mostly edge, if it is any good."),
            (
                "A font with one weight is enough",
                "Emphasis is a matter of sentences, not of ink.",
            ),
        ),
        _LONG,
        "J. Varga",
        48.0,
        11.0,
    ),
    Blog(
        "mathroom",
        "Mathroom",
        "Computing",
        "Sums that are more interesting than they look.",
        (
            (
                "Why the average of averages is wrong",
                "Two classes, two exams, and one headmaster who is sure of his sums.",
            ),
            ("Counting with two hands", "Up to 1,023, if your fingers are willing."),
            (
                "A picture proof that needs no picture",
                "Close your eyes and fold a square in half.",
            ),
        ),
        _CODE,
        format="atom",
        every_h=30.0,
        first_h=16.0,
    ),
    Blog(
        "hadiqa",
        "حديقة الكلمات",
        "Slow reading",
        "رسائل قصيرة عن القراءة والبحر.",
        (
            ("رسالة من ساحل هادئ", "كتبت هذه الرسالة على مقعد خشبي قديم."),
            ("كتاب واحد في الأسبوع", "القراءة البطيئة ليست كسلا."),
        ),
        _ARABIC,
        language="ar",
        every_h=40.0,
        first_h=13.0,
    ),
    Blog(
        "daily-alarm",
        "The Daily Alarm",
        "News",
        "Everything, louder.",
        (
            (
                "SHOCKING: You won't believe what the council did to our parks!!!",
                "The council has decided to mow two meadows a month later than before.",
            ),
            (
                "Ten tricks your baker doesn't want you to know",
                "Bread keeps longer in a wooden box, says a baker who sells wooden boxes.",
            ),
            (
                "Disaster looms as bus lane plan could destroy the high street forever",
                "A bus lane of 300 metres is being discussed; a decision is due in June.",
            ),
            (
                "You must see this before it is too late!",
                "The museum's lace collection is on show until Sunday.",
            ),
            (
                "Outrage: greedy library slams door in the face of desperate families",
                "The library closes one hour earlier on Wednesdays during the holidays.",
            ),
            (
                "Is this the end of the village pond? Experts may fear the worst",
                "The pond is low, as it was in two of the last five summers.",
            ),
            (
                "INSANE savings! Act now and never pay for heating again!!!",
                "A firm offers a discount of four per cent on insulation.",
            ),
            (
                "Mayor under fire in explosive bench scandal",
                "Two benches were painted green instead of brown.",
            ),
            (
                "Swimming pool reopens on Saturday after repairs",
                "The new pump was fitted in three days; tickets cost what they did.",
            ),
            (
                "What happened next at the duck race left everyone speechless",
                "Number 41 won, as it did last year.",
            ),
        ),
        _NEWS,
        "Staff",
        14.0,
        0.7,
    ),
    Blog(
        "almanac",
        "The Wandering Almanac",
        "Slow reading",
        "A calendar that never stays at one address for long.",
        (
            ("Frost, and what it is good for", "Parsnips, mostly, and silence."),
            ("The week of the two new moons", "One of them is only on paper."),
            ("When to cut a hazel", "Before you can hear it think."),
            ("On the usefulness of fog", "It makes a garden of any car park."),
            ("Owls answer better in pairs", "Ask once, then wait twice."),
        ),
        _LONG,
        "The almanac-maker",
        30.0,
        6.0,
        moved_h=45.0,
    ),
    Blog(
        "old-favourite",
        "An Old Favourite",
        "Home",
        "It had a good run.",
        (
            ("A short pause", "We are taking a short pause."),
            ("Our tenth year", "Ten years, and still on the same chair."),
        ),
        _NEWS,
        every_h=60.0,
        first_h=60.0,
        gone_h=30.0,
    ),
    Blog(
        "harbour-ticker",
        "Harbour Ticker",
        "News",
        "The gauge at the old quay, every ten minutes.",
        (),
        is_ticker=True,
    ),
    Blog(
        "night-sky",
        "Night Sky Diary",
        "",
        "What could be seen, and what should have been.",
        (
            ("Clear until midnight", "Then a cloud the size of the county arrived."),
            ("A comet, allegedly", "It was a lamp, but it was a good lamp."),
            (
                "How to lie on a roof",
                "Slowly, and with somebody who knows you are there.",
            ),
        ),
        _LONG,
        "R. Amsel",
        26.0,
        3.0,
        has_comments=True,
    ),
    Blog(
        "paper-boats",
        "Paper Boats",
        "",
        "Folding, floating, and where they went down.",
        (
            ("Eleven folds, no glue", "The twelfth is what sinks it."),
            ("Launch at the weir", "Nine went over it, seven came out."),
        ),
        _LONG,
        every_h=20.0,
        first_h=4.0,
    ),
)
