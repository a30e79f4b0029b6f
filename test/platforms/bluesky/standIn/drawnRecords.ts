import { seededRandom } from "../../../support/generated/seededRandom.ts"

/** Values for records on Bluesky, most of which a PDS takes, or almost. */

const letters = "abcdefghijklmnopqrstuvwxyz"
const digits = "0123456789"

export const drawing = (seed: number) => {
  const next = seededRandom(seed)
  const below = (count: number) => Math.floor(next() * count)
  const pick = <A>(from: ReadonlyArray<A>) => from[below(from.length)]!
  const word = (length: number, alphabet = letters) =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join("")
  return { below, pick, word, chance: (share: number) => next() < share }
}
type Drawing = ReturnType<typeof drawing>

export const knownTags = (
  "en EN En pt-BR pt-br PT-BR yue zh-Hant-TW zh-hant zh-yue zh-min-nan zh-cmn-Hans-CN es-419 sl-rozaj-biske-1994 " +
  "de-1996 de-1901-1901 en-u-hc-h12 en-u-aa-u-bb en-a-bbb-b-ccc-x-d x-own X-own x x- i-klingon I-klingon i-lux " +
  "i-none en-GB-oed en-gb-oed sgn-BE-FR sgn-be-fr no-bok art-lojban cel-gaulish english Deutsch abcd root jaja e " +
  "12 1a en_US en-US- -en " +
  "en--US en-x en-u en-ext-ext-ext-ext und mul zxx qaa mn-Cyrl-MN-x-a-b ru_RU"
).split(" ")

/** A tag of BCP 47, and often one that is almost one. */
export const drawTag = ({ below, chance, pick, word }: Drawing): string => {
  const both = letters + digits
  const variant = () => pick([word(5 + below(4), both), word(1, digits) + word(3, both), "1901", "valencia"])
  const extension = () => [pick(["a", "b", "u", "9"]), word(2 + below(7), both)]
  const subtags = [
    chance(0.8) ? word(2 + below(2)) : word(below(10)),
    ...(chance(0.2) ? Array.from({ length: 1 + below(4) }, () => word(3)) : []),
    ...(chance(0.3) ? [word(4)] : []),
    ...(chance(0.4) ? [chance(0.7) ? word(2) : word(3, digits)] : []),
    ...(chance(0.4) ? Array.from({ length: 1 + below(3) }, variant) : []),
    ...(chance(0.3) ? Array.from({ length: 1 + below(2) }, extension).flat() : []),
    ...(chance(0.2) ? ["x", word(1 + below(8), both)] : [])
  ].map((subtag) => (chance(0.15) ? subtag.toUpperCase() : subtag))
  const tag = subtags.join(chance(0.95) ? "-" : "_")
  if (chance(0.9)) return tag
  const at = below(tag.length + 1)
  return tag.slice(0, at) + pick(["-", " ", "é", "\n", "1", "x", "\u0000", word(9)]) + tag.slice(at)
}

export const recordCid = "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"
const blobCid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const recordUri = "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3n2s4wxk2dw22"

const words = (text: string) => text.split(" ")

const times: ReadonlyArray<unknown> = [
  "2026-02-01T09:00:00Z",
  ...words("2026-02-01T09:00:00.1Z 2026-02-01T09:00:00+01:00 2026-02-01T09:00:00-00:00 2026-02-01T09:00:00"),
  ...words("2026-02-30T09:00:00Z 2026-02-32T09:00:00Z 2026-13-01T09:00:00Z 2026-00-01T09:00:00Z 2026-04-31T09:00:00Z"),
  ...words("2026-02-01T24:00:00Z 2026-02-01T25:00:00Z 2026-02-01T09:60:00Z 2026-12-31T23:59:60Z 2026-02-01T09:00:61Z"),
  ...words("2026-02-01T09:00:00+24:00 2026-02-01T09:00:00+23:59 2026-02-01T09:00:00+01:60 2026-02-01T09:00:00+0100"),
  ...words("0000-01-01T00:00:00Z 0000-01-01T00:00:00+01:00 9999-12-31T23:59:59Z 9999-12-31T23:59:59-01:00"),
  ...words("2026-02-01t09:00:00z 2026-02-01 2026-2-1T9:00:00Z 2026-02-00T09:00:00Z 2025-02-29T00:00:00Z"),
  ...[43, 44].map((length) => `2026-02-01T09:00:00.${"1".repeat(length)}Z`),
  "12026-02-01T09:00:00Z",
  "2026-02-01T09:00:00.Z",
  "2026-02-01T09:00:00Z\n",
  "",
  " ",
  "now",
  1,
  null
]

const uris: ReadonlyArray<unknown> = [
  "https://example.com",
  ...words("http:x x: x:/ x:// https:// https://a a-b:c mailto:a@b é:x 1:2 https://exämple.com/ü#x?y https:///x"),
  "https://a b",
  "https://a\n",
  "",
  "https://a\u00a0b",
  `https://${"a".repeat(9000)}`,
  5,
  null,
  "//example.com"
]

const dids: ReadonlyArray<unknown> = [
  "did:plc:z72i7hdynmk6r22z27h6tvur",
  ...words("did:web:example.com did:web:example.com%3A3000 did:plc: did:plc did:PLC:a did:a1:b did:a:b: did:a:b%"),
  ...words("did:a:b%3 did:a::b did:a:b/c did:a:é DID:a:b did:a:- did:a:_ did:a:b#c"),
  ...[2041, 2042, 2043].map((length) => `did:a:${"b".repeat(length)}`),
  "",
  " did:a:b",
  "did:a:b\n",
  null
]

const keys = ["self", ".", "..", "...", "a:b", "~", "a".repeat(512), "a".repeat(513), "a b", "é", "%20", "", "a/b"]

const recordUris: ReadonlyArray<unknown> = [
  recordUri,
  ...dids.map((did) => `at://${String(did)}/app.bsky.feed.post/3n2s4wxk2dw22`),
  ...keys.map((key) => `at://did:plc:abc/app.bsky.feed.post/${key}`),
  ...words(
    `app.bsky app.bsky.feed app..feed app.bsky.1 app.bsky.feed-post 1app.bsky.feed -a.b.c a.b.c- A.B.C a.b.c1 ` +
      `a.b-.c a.1.b ` +
      `a.b.${"c".repeat(63)} a.b.${"c".repeat(64)} ${"a".repeat(64)}.b.c ${"a.".repeat(157)}bcd ${"a.".repeat(158)}bcd`
  ).map((collection) => `at://did:plc:abc/${collection}/3n2s4wxk2dw22`),
  ...words("at://did:plc:abc at://did:plc:abc/app.bsky.feed.post at://ada.test/app.bsky.feed.post/x"),
  `${recordUri}/`,
  `${recordUri}?x`,
  `${recordUri}#/x`,
  `${recordUri}\n`,
  "",
  "https://example.com",
  null
]

const cids: ReadonlyArray<unknown> = [
  recordCid,
  blobCid,
  recordCid.toUpperCase(),
  recordCid.slice(1),
  `${recordCid}a`,
  recordCid.slice(0, -1),
  `${recordCid}\n`,
  ...["b", "e", "4", "7"].map((last) => recordCid.slice(0, -1) + last),
  ...["a", "h", "i", "7"].map((digit) => `bafyrei${digit}${"a".repeat(51)}`),
  ...words("QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG zb2rhe5P4gXftAwvA4eXQ5HJwsER2owDyS9sKaQRRVQPn93bA bafy"),
  "",
  "b".repeat(59),
  `bafzrei${"a".repeat(52)}`,
  `bafyreia${"a".repeat(31)}`,
  null,
  1
]

const integers: ReadonlyArray<unknown> = [0, -1, 1, 5, 24, 26, 27, 30, 1.5, 1e21, 2 ** 53, "1", null, true]
const sizes: ReadonlyArray<unknown> = [
  1,
  -1,
  0,
  999_999,
  1_000_000,
  1_000_001,
  2_000_000,
  2_000_001,
  3e8,
  3e8 + 1,
  1.5,
  "1",
  null
]
const mimeTypes: ReadonlyArray<unknown> = [
  "image/png",
  ...words("image/jpeg image/svg+xml image/ image image/* IMAGE/PNG video/mp4 video/webm text/plain */*"),
  "",
  "image/png; a=b",
  " image/png",
  null
]
const characters = ["a", ...words("é e\u0301 漢 👍🏽 🇬🇧 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u0000 \ud800 a\u200d 각 \u0600"), "\n", "\r\n"]

const facetOf = (feature: object, index: object = { byteStart: 0, byteEnd: 6 }) => ({
  facets: [{ $type: "app.bsky.richtext.facet", index, features: [feature] }]
})

/** Characters as often as they fit, or almost: so many graphemes and so many bytes are the most. */
const drawText = ({ below, chance, pick }: Drawing, graphemes: number, bytes: number): string => {
  const character = pick(characters)
  const most = Math.min(graphemes, Math.floor(bytes / new TextEncoder().encode(character).length))
  return character.repeat(Math.max(0, most + below(5) - 2)) + (chance(0.3) ? pick(characters) : "")
}

const drawBlob = ({ chance, pick }: Drawing, mimeType: string) => ({
  $type: chance(0.95) ? "blob" : pick(["Blob", 1, undefined]),
  ref: { $link: chance(0.8) ? blobCid : pick(cids) },
  mimeType: chance(0.7) ? mimeType : pick(mimeTypes),
  size: chance(0.6) ? 1000 : pick(sizes)
})

const drawRatio = ({ chance, pick }: Drawing) =>
  chance(0.6)
    ? {}
    : { aspectRatio: pick([{ width: 4, height: 3 }, { width: pick(integers), height: pick(integers) }, null]) }

const drawPicture = (draw: Drawing) => ({
  $type: "app.bsky.embed.images",
  images: Array.from({ length: draw.chance(0.7) ? 1 : draw.below(6) }, () => ({
    image: drawBlob(draw, "image/png"),
    alt: draw.chance(0.9) ? "" : draw.pick(["A", 1, null, undefined]),
    ...drawRatio(draw)
  }))
})

const drawVideo = (draw: Drawing) => ({
  $type: "app.bsky.embed.video",
  video: drawBlob(draw, "video/mp4"),
  alt: draw.chance(0.9) ? undefined : draw.pick(["A", 1, null]),
  ...drawRatio(draw)
})

const drawCard = (draw: Drawing) => ({
  $type: "app.bsky.embed.external",
  external: {
    uri: draw.chance(0.7) ? "https://example.com" : draw.pick(uris),
    title: draw.chance(0.9) ? "" : draw.pick(["A", 1, null]),
    description: draw.chance(0.9) ? "" : draw.pick(["A", null, undefined]),
    thumb: draw.chance(0.4) ? undefined : drawBlob(draw, "image/png")
  }
})

const drawQuote = ({ chance, pick }: Drawing) => ({
  $type: "app.bsky.embed.record",
  record: chance(0.9)
    ? { uri: chance(0.6) ? recordUri : pick(recordUris), cid: chance(0.8) ? recordCid : pick(cids) }
    : pick([null, {}, recordUri, { uri: recordUri }])
})

/** Keys of records, as a post's or almost. */
export const drawKey = ({ chance, pick, word }: Drawing): string => {
  const digits = "234567abcdefghijklmnopqrstuvwxyz"
  const key = chance(0.5) ? `3n2${word(10, digits)}` : word(13, digits)
  const words = [
    "noqqer",
    "nlgq3r",
    "n4qglet",
    "niqql3t",
    "naqqlets",
    "noqqes",
    "nuqqer",
    "kykes",
    "coons",
    "traaaaanys"
  ]
  const drawn = chance(0.5) ? key : `${key.slice(0, 4)}${pick(words)}${key.slice(4)}`.slice(0, 13)
  return chance(0.8)
    ? drawn
    : pick([drawn.slice(1), `${drawn}2`, drawn.toUpperCase(), drawn.replace(/.$/, "1"), "self", "", "."])
}

/** The service never sends these, so the stand-in refuses them to show a mistake. A PDS accepts them. */
const otherReferences = /#\/x"|at:\/\/did:plc:abc(?:\/app\.bsky\.feed\.post)?"|at:\/\/ada\.test\/|"(?:Qm|bafz|zb2r)/
const emptyFiles = /"size":0|"images":\[\]/
const quotesAsMedia = /"media":\{"\$type":"app\.bsky\.embed\.record"/
const quotedReferences = new RegExp([otherReferences, emptyFiles, quotesAsMedia].map(({ source }) => source).join("|"))
const anyPlace = /./

/** Members and kinds that the service never sends. A PDS accepts them, whatever they hold if it knows no lexicon. */
const notSent = /#main"|"(?:tags|labels|via|bridgyOriginalText|captions)":|com\.example\.|app\.bsky\.embed\.gallery/

const drawKind = ({ pick }: Drawing): unknown =>
  pick([
    { $type: "com.example.embed" },
    { $type: "com.example.embed", a: 1 },
    { $type: "app.bsky.embed.gallery", items: [] },
    { $type: "app.bsky.embed.images" },
    { $type: "app.bsky.embed.images#main", images: [] },
    { $type: "app.bsky.embed.external", external: { uri: "https://example.com", title: "", description: "" } },
    { $type: 1 },
    {},
    [],
    "app.bsky.embed.images",
    null
  ])

const drawFeatures = ({ pick }: Drawing): unknown =>
  pick([
    [{ $type: "com.example.feature" }],
    [{ $type: "app.bsky.richtext.facet#link", uri: "https://example.com" }],
    [{ $type: "app.bsky.richtext.facet#link" }],
    [{ $type: "app.bsky.richtext.facet#tag", tag: "" }],
    [{ uri: "https://example.com" }],
    [
      { $type: "app.bsky.richtext.facet#tag", tag: "a" },
      { $type: "app.bsky.richtext.facet#tag", tag: "b" }
    ],
    [],
    [null],
    {},
    null
  ])

/** Draws members of a post's record. `refused` is for members that a PDS accepts and the stand-in refuses. */
export const drawnMembers: ReadonlyArray<readonly [name: string, draw: (draw: Drawing) => object, refused?: RegExp]> = [
  ["times", ({ pick }) => ({ createdAt: pick(times) })],
  [
    "numbers of languages",
    ({ pick }) => ({ langs: pick([["en"], [], ["en", "de", "fr"], ["en", "de", "fr", "it"], ["a1"], "en", null, [1]]) })
  ],
  ["texts", (draw) => ({ text: draw.chance(0.97) ? drawText(draw, 300, 3000) : draw.pick([1, null, []]) })],
  [
    "hashtags",
    (draw) => facetOf({ $type: "app.bsky.richtext.facet#tag", tag: draw.chance(0.95) ? drawText(draw, 64, 640) : 1 })
  ],
  ["links", ({ pick }) => facetOf({ $type: "app.bsky.richtext.facet#link", uri: pick(uris) })],
  ["mentions", ({ pick }) => facetOf({ $type: "app.bsky.richtext.facet#mention", did: pick(dids) })],
  [
    "places of facets",
    ({ pick }) =>
      facetOf(
        { $type: "app.bsky.richtext.facet#link", uri: "https://example.com" },
        { byteStart: pick(integers), byteEnd: pick(integers) }
      ),
    anyPlace
  ],
  [
    "replies",
    ({ chance, pick }) => {
      const whole = { uri: recordUri, cid: recordCid }
      const drawn = chance(0.5) ? { ...whole, uri: pick(recordUris) } : { ...whole, cid: pick(cids) }
      const replies: ReadonlyArray<object> = [
        { root: whole, parent: drawn },
        { root: drawn, parent: whole },
        { root: drawn },
        drawn
      ]
      return { reply: pick(replies) }
    },
    otherReferences
  ],
  [
    "kinds of facets",
    (draw) => {
      const facet = { index: { byteStart: 0, byteEnd: 6 }, features: drawFeatures(draw) }
      const type = draw.pick([{}, { $type: "app.bsky.richtext.facet" }, { $type: "com.example.facet" }, { $type: 1 }])
      return { facets: draw.chance(0.8) ? [{ ...facet, ...type }] : draw.pick([[], [facet, facet], null, {}, [null]]) }
    },
    notSent
  ],
  ["kinds of embeds", (draw) => ({ embed: drawKind(draw) }), notSent],
  [
    "tags of a post",
    (draw) =>
      draw.chance(0.2)
        ? {}
        : { tags: Array.from({ length: draw.below(11) }, () => (draw.chance(0.9) ? drawText(draw, 64, 640) : 1)) },
    notSent
  ],
  [
    "labels of a post",
    ({ chance, pick }) => {
      const values = pick([[], [{ val: "porn" }], Array.from({ length: 11 }, () => ({ val: "a" })), [{ val: 1 }], null])
      const type = pick(["com.atproto.label.defs#selfLabels", "com.example.labels", 1])
      return chance(0.2) ? {} : { labels: { $type: type, values } }
    },
    notSent
  ],
  [
    "other members",
    ({ pick }) => pick([{}, { via: "X" }, { bridgyOriginalText: null }, { $type: "app.bsky.feed.like" }, { $type: 1 }]),
    notSent
  ],
  [
    "alternative texts",
    (draw) => {
      const alt = draw.pick(["", drawText(draw, 1000, 10_000), drawText(draw, 2000, 20_000), 1, null])
      const picture = { image: { ...drawBlob(draw, "image/png") }, alt }
      return {
        embed: draw.chance(0.5)
          ? { $type: "app.bsky.embed.images", images: [picture] }
          : { $type: "app.bsky.embed.video", video: drawBlob(draw, "video/mp4"), alt }
      }
    },
    emptyFiles
  ],
  [
    "presentations of videos",
    (draw) => ({
      embed: {
        ...drawVideo(draw),
        presentation: draw.pick(["gif", "default", "com.example#a", "", 1, null, undefined])
      }
    }),
    emptyFiles
  ],
  [
    "captions of videos",
    (draw) => ({
      embed: {
        ...drawVideo(draw),
        captions: draw.pick([undefined, [], [{ lang: "en", file: drawBlob(draw, "text/vtt") }], null])
      }
    }),
    new RegExp(`${emptyFiles.source}|${notSent.source}`)
  ],
  ["pictures", (draw) => ({ embed: drawPicture(draw) }), emptyFiles],
  ["videos", (draw) => ({ embed: drawVideo(draw) }), emptyFiles],
  ["cards", (draw) => ({ embed: drawCard(draw) }), emptyFiles],
  ["quotes", (draw) => ({ embed: drawQuote(draw) }), otherReferences],
  [
    "quotes beside media",
    (draw) => ({
      embed: {
        $type: "app.bsky.embed.recordWithMedia",
        record: drawQuote(draw),
        media: draw.pick([drawPicture, drawVideo, drawCard, drawQuote])(draw)
      }
    }),
    quotedReferences
  ]
]
