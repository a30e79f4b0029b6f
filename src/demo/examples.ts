import { hasThreads, needsFiles, needsVideo } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { PlatformOverrides, PlatformSettings } from "../domain/posts/platformSettings.ts"
import type { Failure } from "./endings.ts"
import type { PictureName } from "./pictures.ts"

export type Story =
  | { readonly _tag: "Draft" }
  | { readonly _tag: "Scheduled" }
  | { readonly _tag: "Published" }
  /** One platform failed. The others published the post. */
  | { readonly _tag: "Failed"; readonly platform: LivePlatform; readonly failure: Failure }
  /** One platform will accept the post later. The others published it. */
  | { readonly _tag: "Retried"; readonly platform: LivePlatform }
  /** Approval was requested. `before` is the text of an earlier request. */
  | { readonly _tag: "Submitted"; readonly before?: string }
  /** Scheduled, or published if its time has passed. */
  | { readonly _tag: "Approved" }
  | { readonly _tag: "Rejected"; readonly reason: string }

/** A day relative to today and a time, or minutes from now. */
export type When = readonly [day: number, hour: number, minute: number] | { readonly minutes: number }

export interface Example {
  readonly content: string
  readonly at: When | null
  readonly story: Story
  readonly platforms?: ReadonlyArray<LivePlatform>
  readonly overrides?: PlatformOverrides
  readonly settings?: PlatformSettings
  readonly pictures?: ReadonlyArray<PictureName>
  readonly thread?: ReadonlyArray<string>
  readonly card?: Omit<LinkCard, "thumb">
  readonly tags?: ReadonlyArray<string>
  readonly group?: string
}

/** An example without platforms is for all enabled ones that have threads, if it is one, and need no files it lacks. */
export const platformsFor = ({ pictures = [], platforms, thread }: Example, enabled: ReadonlyArray<LivePlatform>) =>
  platforms ??
  enabled.filter(
    (platform) =>
      (thread === undefined || hasThreads(platform)) && !(pictures.length > 0 ? needsVideo : needsFiles)(platform)
  )

const draft: Story = { _tag: "Draft" }
const scheduled: Story = { _tag: "Scheduled" }
const published: Story = { _tag: "Published" }
const approved: Story = { _tag: "Approved" }
const failed = (platform: LivePlatform, failure: Failure): Story => ({ _tag: "Failed", platform, failure })

const card = (path: string, title: string, description: string) => ({
  url: `https://example.com/${path}`,
  title,
  description
})

/** A small coffee roastery over seven weeks, oldest first. Includes every state, and each kind of failure once. */
export const examples: ReadonlyArray<Example> = [
  {
    content:
      "The shutters are up. Our roastery by the harbor is open every day from seven, and the first cup is on us.",
    at: [-24, 7, 0],
    story: published,
    pictures: ["storefront"],
    tags: ["opening"]
  },
  {
    content: "Three coffees to begin with: a washed Ethiopian, a honey-processed Costa Rican and our house blend.",
    at: [-22, 12, 30],
    story: published,
    pictures: ["beans"]
  },
  {
    content: "What would you like to drink in the morning by the water? We read every answer.",
    at: [-21, 10, 0],
    story: published,
    settings: { twitter: { who_can_reply: "following" } }
  },
  {
    content: "Roasting days are Tuesday and Friday. Come by after four and take a bag home that is still warm.",
    at: [-19, 8, 30],
    story: approved,
    tags: ["roasting"]
  },
  {
    content: "We deliver within the old town by bicycle. Order by ten, drink it at noon.",
    at: [-18, 9, 15],
    story: published,
    pictures: ["bicycle"],
    tags: ["delivery"]
  },
  {
    content: "Our prices, explained: what the farm gets, what the boat costs, and what is left for rent and milk.",
    at: [-17, 18, 0],
    story: failed("twitter", "rejected")
  },
  {
    content: "Cold brew week, day one: eighteen hours, cold water, nothing else.",
    at: [-15, 11, 0],
    story: published,
    pictures: ["coldbrew"],
    group: "cold brew",
    tags: ["cold brew"]
  },
  {
    content: "Cold brew week, day two: with a slice of orange. Trust us.",
    at: [-14, 11, 0],
    story: published,
    group: "cold brew",
    tags: ["cold brew"]
  },
  {
    content: "Cold brew week, day three: over vanilla ice cream, for as long as the ice cream lasts.",
    at: [-13, 11, 0],
    story: published,
    group: "cold brew",
    tags: ["cold brew"]
  },
  {
    content: "Holiday hours: eight to two. The terrace gets the sun until one.",
    at: [-12, 17, 0],
    story: failed("bluesky", "needs_reconnect")
  },
  {
    content: "Six in the morning at the harbor. This is why we open early.",
    at: [-11, 6, 45],
    story: published,
    pictures: ["harbor"],
    platforms: ["bluesky"]
  },
  {
    content: "Tonight at six: a free cupping for everyone who wants to taste five coffees side by side.",
    at: [-10, 9, 0],
    story: failed("twitter", "missed"),
    platforms: ["twitter"]
  },
  {
    content: "Our new menu is online, with what is in each cup: https://example.com/menu",
    at: [-9, 12, 0],
    story: published,
    card: card("menu", "The menu", "Coffee, tea and cake from our kitchen by the harbor")
  },
  {
    content: "How we brew at home: 15 grams, 250 milliliters, three minutes. The full recipe is on our page.",
    overrides: {
      twitter: "How we brew at home: 15 g, 250 ml, three minutes.",
      bluesky:
        "How we brew at home: 15 grams of coffee, 250 milliliters of water just off the boil, three minutes. Stir once, wait, pour. #coffee"
    },
    at: [-8, 8, 0],
    story: published,
    pictures: ["latte"]
  },
  {
    content: "Closed this afternoon for a staff tasting. Back tomorrow at seven, wiser.",
    at: [-7, 13, 0],
    story: failed("bluesky", "gave_up")
  },
  {
    content: "Greetings from the terraces of our partners in Huila. The harvest begins next week.",
    at: [-6, 16, 0],
    story: published,
    pictures: ["terraces"],
    tags: ["origin"]
  },
  {
    content: "From the farm to the cup in four pictures.",
    at: [-5, 12, 15],
    story: published,
    pictures: ["terraces", "beans", "latte", "storefront"],
    tags: ["origin"]
  },
  { content: "Rain until noon. Soup from eleven.", at: [-4, 10, 20], story: published, platforms: ["twitter"] },
  {
    content: "Market day: our stall is next to the fish, and the line is shorter than it looks.",
    at: [-3, 8, 0],
    story: failed("twitter", "outcome_unknown"),
    pictures: ["market"],
    tags: ["market"]
  },
  {
    content: "A regular asked for a decaf that tastes of something. Here it is: sugarcane process, from Colombia.",
    at: [-2, 9, 30],
    story: approved
  },
  { content: "Thank you for four hundred cups at the market.", at: [-1, 8, 15], story: published },
  {
    content: "New on the shelf: a natural Ethiopian that smells of strawberries.",
    at: [-1, 17, 30],
    story: published,
    pictures: ["beans"]
  },
  { content: "Good morning. The door is open and the oven is on.", at: { minutes: -95 }, story: published },
  {
    content: "Lunch is lentil salad with feta, until it is gone.",
    at: { minutes: -20 },
    story: { _tag: "Retried", platform: "twitter" }
  },
  {
    content: "This example goes out a few minutes after the first start. See it on both timelines.",
    at: { minutes: 5 },
    story: scheduled,
    pictures: ["harbor"],
    thread: ["It is a thread: each part is a reply to the one before.", "And this is its end."]
  },
  {
    content: "Roasting day: the drum is hot from two, and the street smells of caramel.",
    at: [1, 8, 30],
    story: scheduled,
    pictures: ["storefront"],
    tags: ["roasting"]
  },
  {
    content: "Our subscription has a second size: 500 grams every other week, shipped on the day it is roasted.",
    at: [1, 17, 0],
    story: { _tag: "Submitted" },
    thread: [
      "Why every other week? Coffee is at its best between day seven and day twenty.",
      "Who has the small size can change at any time, from the next box on."
    ],
    tags: ["subscription"]
  },
  {
    content: "Ask us anything: our roaster answers your questions here from six to seven tonight.",
    at: [2, 9, 0],
    story: scheduled
  },
  { content: "Two days until the latte art throwdown. Eight places are left.", at: [3, 12, 0], story: draft },
  {
    content: "Why we pay farms before the harvest, in a short text: https://example.com/prepay",
    at: [4, 10, 0],
    story: approved,
    card: card("prepay", "Paid before the harvest", "What changes for a farm, and what for us")
  },
  {
    content: "Latte art throwdown tonight at eight. Come and cheer.",
    at: [5, 9, 30],
    story: scheduled,
    pictures: ["latte"],
    tags: ["throwdown"]
  },
  {
    content: "Cold brew comes back next week, in bottles that you can return.",
    at: [6, 11, 0],
    story: {
      _tag: "Submitted",
      before: "Cold brew is back next week, in plastic bottles."
    },
    pictures: ["coldbrew"],
    tags: ["cold brew"]
  },
  {
    content: "Market day: find our stall between the fish and the flowers.",
    at: [7, 7, 45],
    story: scheduled,
    pictures: ["market"],
    group: "market",
    tags: ["market"]
  },
  {
    content: "Market day, noon: twelve bags left.",
    at: [7, 12, 0],
    story: scheduled,
    platforms: ["bluesky"],
    group: "market",
    tags: ["market"]
  },
  {
    content: "The best coffee in town. Everybody says so.",
    at: [9, 10, 0],
    story: { _tag: "Rejected", reason: "We don't compare ourselves with the neighbors. Say what is special about it." }
  },
  {
    content: "Free delivery by bicycle all week, also across the bridge.",
    at: [10, 9, 15],
    story: scheduled,
    pictures: ["bicycle"],
    tags: ["delivery"]
  },
  {
    content: "A cupping for beginners, tonight at eight. No spoon skills required.",
    at: [12, 18, 0],
    story: scheduled
  },
  {
    content: "The first bags of the new harvest are on a ship. We follow it on a map next to the till.",
    at: [14, 12, 30],
    story: scheduled,
    pictures: ["terraces"],
    tags: ["origin"]
  },
  { content: "Autumn hours? Winter hours? The same hours: from seven.", at: [17, 8, 0], story: scheduled },
  {
    content: "Gift cards are here, printed by the shop next door.",
    at: [20, 10, 0],
    story: scheduled,
    platforms: ["twitter"]
  },
  {
    content: "One month by the harbor. Thank you. Cake at four.",
    at: [24, 9, 0],
    story: scheduled,
    pictures: ["storefront"],
    tags: ["opening"]
  },
  { content: "Ideas: who are the people who carry our bags from the port?", at: null, story: draft },
  {
    content: "An interview with our roaster, in three parts. One: how it began.",
    at: null,
    story: draft,
    pictures: ["beans"],
    thread: ["Two: the year in which everything burned.", "Three: what she drinks at home."]
  },
  { content: "Ask for opinions: oat milk by default?", at: null, story: draft, platforms: ["bluesky"] }
]
