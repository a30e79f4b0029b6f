import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import {
  changePost,
  createPost,
  deletePost,
  getPost,
  hoursAhead,
  loseOutcome,
  losePart,
  makeAgentKey,
  newestPost,
  orderFault,
  recordLostOutcome,
  refuseOnX,
  sendFirstPart,
  waitAgain,
  widthOf
} from "./posts.ts"
import { both } from "./samples.ts"

const thread = (...contents: ReadonlyArray<string>) => contents.map((content) => ({ content }))

const refusal = { kind: "status", status: 400, error: "InvalidRecord", detail: "The record is not valid" }

/** A thread whose second part is refused by Bluesky. */
const halfSent = Effect.fnUntraced(function* (key: string, content: string) {
  yield* orderFault({ platform: "bluesky", fault: refusal })
  return yield* createPost(key, {
    content,
    platforms: ["bluesky"],
    schedule_at: hoursAhead(0),
    thread: thread("Two", "Three")
  })
})

const Resolution = Schema.fromJsonString(
  Schema.Struct({ outcome: Schema.String, url: Schema.String, continue: Schema.Boolean })
)

describe.skipIf(!canRunBrowser)("Threads in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("Of a half-sent thread the page says how much is out, with a link to it, and sends the rest", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* halfSent(key, "Half of it is out, and is tried again")
        const page = yield* enter(`/posts/${id}`)
        const part = (number: number) => page.getByRole("listitem", { name: `Part ${number} of 3` })
        const [shown, faults] = yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "1 of 3 is out" }).waitFor()
          await page.getByText("Part 2 of 3: Bluesky refused this post: The record is not valid.").waitFor()
          await part(1).getByRole("link", { name: "View part 1 on Bluesky" }).waitFor()
          const states = await Promise.all([1, 2, 3].map((number) => part(number).innerText()))
          const found = await findFaults(page)
          await page.getByRole("button", { name: "Try part 2 again" }).click()
          await page.getByRole("dialog", { name: "Publish on Bluesky now?" }).getByText("The post keeps").waitFor()
          await page.getByRole("dialog").getByRole("button", { name: "Publish now" }).click()
          await page.getByRole("heading", { name: /^Published/ }).waitFor()
          await part(3).getByRole("link", { name: "View part 3 on Bluesky" }).waitFor()
          await page.getByRole("link", { name: "View on Bluesky", exact: true }).waitFor()
          return [states, found] as const
        })
        assert.match(shown[0] ?? "", /Published/)
        assert.match(shown[1] ?? "", /Failed/)
        assert.match(shown[2] ?? "", /Not sent/)
        assert.deepStrictEqual(faults, [])
        assert.strictEqual((yield* getPost(key, id)).status, "published")
      })
    )

    it.effect(
      "A half-sent thread that waits for its time says what is out, and lets its time and tags be changed",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const id = yield* createPost(key, {
            content: "One is out, and the rest waits",
            platforms: ["bluesky"],
            schedule_at: hoursAhead(40),
            thread: thread("Two", "Three")
          })
          yield* sendFirstPart(id, "scheduled")
          const page = yield* enter(`/posts/${id}`, { width: 390, colorScheme: "dark" })
          const part = (number: number) => page.getByRole("listitem", { name: `Part ${number} of 3` })
          const [faults, width] = yield* Effect.promise(async () => {
            await page.getByRole("heading", { name: /^1 of 3 is out; the rest goes out / }).waitFor()
            const handle = page.getByText("@demo.sandbox.test")
            assert.isFalse(await handle.evaluate((shown) => shown.scrollWidth > shown.clientWidth))
            await page.getByText("1 of 3 is out", { exact: true }).waitFor()
            await part(1).getByRole("link", { name: "View part 1 on Bluesky" }).waitFor()
            await part(2).getByText("Is next").waitFor()
            assert.strictEqual(await page.getByRole("button", { name: "Unschedule" }).count(), 0)
            await page.getByRole("link", { name: "Edit" }).click()
            await page.getByText("It is out in part, so its text, files and platforms stay as they are").waitFor()
            await page.getByText("One is out, and the rest waits").waitFor()
            assert.strictEqual(await page.locator(".topbar-title").innerText(), "Edit post")
            assert.strictEqual(await page.title(), "Edit post · Social publisher")
            assert.strictEqual(await page.getByRole("textbox", { name: /^Text/ }).count(), 0)
            await page.getByLabel("Tags").fill("mistaken")
            await page.getByLabel("Tags").press("Enter")
            await page.reload()
            await page.getByText("What you typed before is back").waitFor()
            await page.getByRole("button", { name: "Undo my changes" }).click()
            await page.getByLabel("Tags").fill("half")
            const found = [...(await findFaults(page)), await widthOf(page)]
            await page.getByRole("button", { name: "Save" }).click()
            await page.getByRole("heading", { name: /^1 of 3 is out/ }).waitFor()
            await page.getByRole("link", { name: "half" }).waitFor()
            assert.strictEqual(await page.getByRole("link", { name: "mistaken" }).count(), 0)
            return [found.slice(0, -1), found.at(-1)] as const
          })
          assert.deepStrictEqual([faults, width], [[], 390])
          yield* deletePost(key, id)
        })
    )

    it.effect("Who saves a half-sent thread that somebody else has changed is told so, and may save again", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "Two people change its tags",
          platforms: ["bluesky"],
          schedule_at: hoursAhead(40),
          thread: thread("Two", "Three")
        })
        yield* sendFirstPart(id, "scheduled")
        const page = yield* enter(`/compose?post=${id}`)
        yield* Effect.promise(() => page.getByLabel("Tags").fill("mine"))
        yield* changePost(key, id, { tags: ["theirs"] })
        yield* Effect.promise(async () => {
          const save = page.getByRole("button", { name: "Save" })
          const read = Promise.withResolvers<void>()
          await page.route(`**/v1/posts/${id}`, async (route) => {
            if (route.request().method() === "GET") await read.promise
            await route.continue()
          })
          const isRead = page.waitForRequest((request) => request.method() === "GET" && request.url().endsWith(id))
          await save.click()
          await isRead
          // The next save would replace the post's current version, which is not known yet.
          assert.strictEqual(await save.getAttribute("aria-busy"), "true")
          read.resolve()
          await page.getByText("The post has changed since you opened it").waitFor()
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("link", { name: "mine" }).waitFor()
        })
        yield* deletePost(key, id)
      })
    )

    it.effect("A draft of which a part is out says so, and what stays where it is deleted", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "One is out of a draft",
          platforms: ["bluesky"],
          thread: thread("Two", "Three")
        })
        yield* sendFirstPart(id, "draft")
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "1 of 3 is out; the rest is a draft" }).waitFor()
          await page.getByRole("listitem", { name: "Part 2 of 3" }).getByText("Not sent").waitFor()
          await page.getByRole("button", { name: "Delete" }).click()
          const dialog = page.getByRole("dialog", { name: "Delete this draft?" })
          await dialog.getByText("What is out stays there: 1 of 3 parts on Bluesky.").waitFor()
          await dialog.getByRole("button", { name: "Delete" }).click()
          await page.waitForURL(/\/posts$/)
        })
      })
    )

    it.effect("Of a post that may be out already and waits again, only what the service takes can be changed", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "Is it out?",
          platforms: ["twitter"],
          schedule_at: hoursAhead(40)
        })
        yield* loseOutcome(id)
        yield* recordLostOutcome(id)
        yield* waitAgain(id)
        // Makes the history longer than its first page.
        yield* Effect.forEach(Array.from({ length: 50 }).keys(), (index) =>
          changePost(key, id, { tags: [`change-${index}`] })
        )
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Edit" }).click()
          await page.getByText("It may be out already, so its text, files and platforms stay as they are").waitFor()
          assert.strictEqual(await page.getByRole("textbox", { name: /^Text/ }).count(), 0)
          await page.getByLabel("Tags").fill("seen")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("link", { name: "seen" }).waitFor()
        })
        const refused = yield* Effect.flip(Effect.sandbox(changePost(key, id, { content: "It is another text" })))
        assert.include(String(refused), "can't be changed")
        yield* deletePost(key, id)
      })
    )

    it.effect("The list and the calendar say of a half-sent thread that waits how much is out", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        // In the calendar's month, which may end before the post's day.
        const day = hoursAhead(40).slice(0, 10)
        const id = yield* createPost(key, {
          content: "Waits in the lists",
          platforms: ["bluesky"],
          schedule_at: `${day}T12:00:00.000Z`,
          thread: thread("Two", "Three")
        })
        yield* sendFirstPart(id, "scheduled")
        const page = yield* enter("/posts", { width: 360 })
        yield* Effect.promise(async () => {
          await page.locator(`[data-post="${id}"]`).getByText("1 of 3 out").waitFor()
          await page.goto(new URL(`/?date=${day}`, page.url()).href)
          await page.getByRole("button", { name: /1 of 3 out Waits in the lists/ }).waitFor()
          await page.getByTitle("1 of 3 is out").first().waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => widthOf(page)), 360)
        yield* deletePost(key, id)
      })
    )

    it.effect("A post that is out on one platform and waits for another says so, with a link to it", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "On Bluesky first",
          platforms: both,
          schedule_at: hoursAhead(40)
        })
        yield* refuseOnX(id)
        yield* waitAgain(id)
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: /^Is out on Bluesky; the rest goes out / }).waitFor()
          await page.getByText("Published", { exact: true }).first().waitFor()
          await page.getByRole("link", { name: "View on Bluesky" }).waitFor()
        })
        yield* deletePost(key, id)
      })
    )

    it.effect("What is left of a half-sent thread is moved to a draft, which names the thread that it continues", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* halfSent(key, "Half of it is out, and the rest is moved")
        const page = yield* enter(`/posts/${id}`, { width: 390, touch: true, colorScheme: "dark" })
        const [faults, width] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Move the rest to a new draft" }).click()
          await page.getByRole("textbox", { name: "Text of part 1", exact: true }).waitFor()
          await page.getByText("Continues the thread of").waitFor()
          await page.getByRole("textbox", { name: "Text of part 1", exact: true }).fill("Two, which is valid")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          await page.getByText("Continues the thread of").waitFor()
          const found = await findFaults(page)
          const wide = await widthOf(page)
          await page.getByRole("link", { name: "Half of it is out, and the rest is moved" }).click()
          await page.getByText("A copy has taken its place").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: /^Try part/ }).count(), 0)
          return [found, wide]
        })
        assert.deepStrictEqual(faults, [])
        assert.strictEqual(width, 390)
        const copy = yield* newestPost(key)
        assert.deepStrictEqual(
          [copy.reply_to, copy.content, copy.thread.map(({ content }) => content)],
          [id, "Two, which is valid", ["Three"]]
        )
      })
    )

    it.effect("A person who sees that a part is out names its address, and has the rest sent or not", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "One",
          platforms: ["twitter"],
          schedule_at: hoursAhead(40),
          thread: thread("Two", "Three")
        })
        yield* losePart(id)
        const page = yield* enter(`/posts/${id}`)
        const address = "https://x.com/demo/status/3234567890123456789"
        const sent = yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "1 of 3 is out; part 2 may be, too" }).waitFor()
          await page.getByText("X did not confirm part 2 of 3. Look at @demo").waitFor()
          await page.getByRole("button", { name: "Part 2 is out" }).click()
          const dialog = page.getByRole("dialog", { name: "Part 2 is out on X" })
          assert.isTrue(await dialog.getByRole("button", { name: "Mark as published" }).isDisabled())
          await dialog.getByLabel("Address of part 2").fill(address)
          assert.isFalse(await dialog.getByRole("checkbox", { name: /^Send part 3 now/ }).isChecked())
          const request = page.waitForRequest((one) => one.url().endsWith("/resolve"))
          await dialog.getByRole("button", { name: "Mark as published" }).click()
          await page.getByRole("heading", { name: "2 of 3 are out" }).waitFor()
          await page.getByRole("button", { name: "Send the rest" }).waitFor()
          await page.getByRole("link", { name: "View part 2 on X" }).waitFor()
          return (await request).postData()
        })
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Resolution)(sent), {
          outcome: "published",
          url: address,
          continue: false
        })
        yield* deletePost(key, id)
      })
    )

    it.effect("Where a person has the rest of a thread sent, it goes on from the part that is out", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "One",
          platforms: ["twitter"],
          schedule_at: hoursAhead(40),
          thread: thread("Two", "Three")
        })
        yield* losePart(id)
        // The next part fails and waits for another attempt.
        yield* orderFault({ platform: "twitter", fault: { kind: "status", status: 503 } })
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Part 2 is out" }).click()
          await page.getByLabel("Address of part 2").fill("https://x.com/demo/status/3234567890123456790")
          await page.getByRole("checkbox", { name: /^Send part 3 now/ }).check()
          await page.getByRole("button", { name: "Mark as published" }).click()
          await page.getByRole("heading", { name: "Is going out: part 3 of 3" }).waitFor()
        })
      })
    )

    it.effect("Who approves sees all parts of a thread, and what has changed in each", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const agent = yield* makeAgentKey
        const id = yield* createPost(agent, {
          content: "The launch is on Tuesday.",
          platforms: both,
          schedule_at: hoursAhead(30),
          thread: [{ content: "It brings speed." }, { content: "Thanks to all of you." }]
        })
        yield* changePost(agent, id, {
          status: "scheduled",
          thread: [
            { content: "It brings speed." },
            { content: "Thanks to some of you." },
            { content: "More: https://example.com/more", platforms: ["bluesky"] }
          ]
        })
        const page = yield* enter("/approvals")
        const [changes, onX, onBluesky, faults] = yield* Effect.promise(async () => {
          const card = page.getByRole("article", { name: "Post by Release agent" })
          await card.getByText("A thread of 4 parts").waitFor()
          const region = card.getByRole("region", { name: "Changed since the last request" })
          const partsOn = (platform: string) =>
            card.locator(`.preview-${platform}`).getByRole("listitem", { name: /^Part/ }).allInnerTexts()
          const all = [
            (await region.innerText()).split("\n").filter((line) => line !== ""),
            await partsOn("twitter"),
            await partsOn("bluesky"),
            await findFaults(page)
          ] as const
          await page.keyboard.press("a")
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
          return all
        })
        assert.deepStrictEqual(changes, [
          "Changed since the last request",
          "Part 3",
          "Thanks to allsome of you.",
          "Part 4 · added",
          "More: https://example.com/more"
        ])
        assert.lengthOf(onX, 3)
        assert.include(onBluesky[3], "example.com/more")
        assert.deepStrictEqual(faults, [])
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
        yield* deletePost(key, id)
      })
    )

    it.effect(
      "A thread is one row and one chip with the number of its parts, is found by them, and is copied whole",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const day = hoursAhead(24 * 9).slice(0, 10)
          const id = yield* createPost(key, {
            content: "The beginning",
            platforms: both,
            schedule_at: `${day}T11:00:00Z`,
            thread: thread("In between", "A needle in the hay")
          })
          yield* changePost(key, id, { thread: thread("In between", "The needle in the hay") })
          const page = yield* enter("/posts?text=needle")
          const [row, marked] = yield* Effect.promise(async () => {
            const found = page.getByRole("list", { name: "Posts" }).getByRole("listitem")
            await found.getByText("3 parts").waitFor()
            return [await found.getByRole("link").first().innerText(), await page.locator("mark").allTextContents()]
          })
          assert.deepStrictEqual([row, marked], ["The needle in the hay", ["needle"]])
          const calendar = yield* enter(`/?date=${day}`)
          yield* Effect.promise(async () => {
            await calendar.getByRole("button", { name: /3 parts The beginning Scheduled$/ }).click()
            await calendar.getByText("Demo changed the thread").waitFor()
            await calendar.getByRole("button", { name: "Duplicate" }).click()
            await calendar.getByRole("textbox", { name: "Text of part 3" }).waitFor()
          })
          const copy = yield* newestPost(key)
          assert.deepStrictEqual(
            [copy.copied_from, copy.content, ...copy.thread.map(({ content }) => content)],
            [id, "The beginning", "In between", "The needle in the hay"]
          )
          yield* deletePost(key, copy.id)
          yield* deletePost(key, id)
        })
    )

    // This test is last, because it keeps the account on X busy for a minute.
    it.effect("While a thread goes out the page says which part is under way", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        yield* orderFault({ platform: "twitter", fault: { kind: "delay", ms: 60_000 } })
        const id = yield* createPost(key, {
          content: "It goes out part by part",
          platforms: ["twitter"],
          schedule_at: hoursAhead(0),
          thread: thread("Two", "Three")
        })
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "Is going out: part 2 of 3" }).waitFor()
          await page.getByText("Part 2 of 3", { exact: true }).waitFor()
          await page.getByRole("link", { name: "View part 1 on X" }).waitFor()
          await page.getByRole("listitem", { name: "Part 3 of 3" }).getByText("Waits for the part before it").waitFor()
        })
      })
    )
  })
})
