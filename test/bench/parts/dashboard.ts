import { Effect, Schedule } from "effect"
import { gzipSync } from "node:zlib"
import { Browser, type PageOptions } from "../../browser/browser.ts"
import { type Database, runSql, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { startService } from "../support/service.ts"
import { median, percentile } from "../support/statistics.ts"

type Page = Effect.Success<ReturnType<Browser["Service"]["page"]>>

const posts = 1000

/** A phone's processor is about this many times slower than the machine that runs the benchmark. */
const slowdown = 4

/** Waits until the service has created its demo. The key is stored last, after the service has begun to serve. */
const awaitDemo = (database: Database) =>
  runSql(database, "SELECT FROM api_keys").pipe(
    Effect.repeat({ until: (keys) => keys.length > 0, schedule: Schedule.spaced("10 millis") })
  )

/**
 * Spreads posts evenly over this month, for both accounts of the demo. Past posts are published, and future posts are
 * scheduled.
 */
const insertMonth = (database: Database) =>
  runSql(
    database,
    `WITH planned AS (
      SELECT g, date_trunc('month', now()) + (g - 0.5) * interval '30 days' / ${posts} AS at
      FROM generate_series(1, ${posts}) g
    ), added AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, published_at, tags, platform_overrides,
        platform_settings, created_at)
      SELECT uuidv7(), w.id, CASE WHEN at < now() THEN 'published' ELSE 'scheduled' END,
        'Post ' || g || ': ' || repeat('what is new in our latest release, ', 3), at,
        CASE WHEN at < now() THEN at END, '{release}', '{}', '{}', now()
      FROM planned CROSS JOIN (SELECT id FROM workspaces LIMIT 1) w
      RETURNING id, workspace_id, status, scheduled_at AS at
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
      due_since, due_at, attempts, sent_at, prepared, platform_post_id, platform_post_url, published_at)
    SELECT gen_random_uuid(), i.workspace_id, added.id, i.id, i.account_id, i.platform,
      row_number() OVER (PARTITION BY added.id), CASE added.status WHEN 'published' THEN 'published' ELSE 'pending' END,
      CASE added.status WHEN 'scheduled' THEN at END, CASE added.status WHEN 'scheduled' THEN at END,
      CASE added.status WHEN 'published' THEN 1 ELSE 0 END, CASE added.status WHEN 'published' THEN at END,
      CASE added.status WHEN 'published' THEN '{}'::jsonb END, CASE added.status WHEN 'published' THEN added.id::text END,
      CASE added.status WHEN 'published' THEN 'https://x.com/demo/status/' || added.id END,
      CASE added.status WHEN 'published' THEN at END
    FROM added JOIN integrations i ON i.workspace_id = added.workspace_id`,
    "VACUUM ANALYZE"
  )

/** Records the duration of each later frame and of each task of more than 50 ms, in milliseconds. */
const watchFrames = `
  window.frameTimes = []; window.longTasks = []
  new PerformanceObserver((list) => { for (const task of list.getEntries()) longTasks.push(task.duration) })
    .observe({ type: "longtask" })
  let before
  const follow = (at) => {
    if (before !== undefined) frameTimes.push(at - before)
    before = at
    requestAnimationFrame(follow)
  }
  requestAnimationFrame(follow)`

/**
 * Scrolls down and up by 40 pixels per frame, which is 2,400 a second if no frame is late. Resolves after `duration`
 * milliseconds.
 */
const scroll = (selector: string, duration: number) => `new Promise((resolve) => {
  const scroller = document.querySelector(${JSON.stringify(selector)})
  const end = performance.now() + ${duration}
  let step = 40
  const go = () => {
    const top = scroller.scrollTop
    scroller.scrollTop = top + step
    if (scroller.scrollTop === top) step = -step
    if (performance.now() < end) requestAnimationFrame(go)
    else resolve(scroller.scrollTop)
  }
  go()
})`

/** Drags the first post ahead, which is in view, back and forth over all days. */
const drag = async (page: Page, duration: number) => {
  const box = await page.locator(".calendar-chip-movable").first().boundingBox()
  if (box === null) throw new Error("No post can be moved")
  await page.mouse.move(box.x + 10, box.y + 10)
  await page.mouse.down()
  const end = performance.now() + duration
  for (let step = 0; performance.now() < end; step++) {
    await page.mouse.move(240 + ((step * 15) % 900), 200 + ((step * 7) % 600))
  }
  await page.keyboard.press("Escape")
  await page.mouse.up()
}

interface Screen extends PageOptions {
  readonly name: string
  readonly path: string
  /** An element that exists once the posts are shown. */
  readonly shown: string
  readonly use: (page: Page, duration: number) => Promise<unknown>
}

const scrolls =
  (selector: string) =>
  (page: Page, duration: number): Promise<unknown> =>
    page.evaluate(scroll(selector, duration))

const screens: ReadonlyArray<Screen> = [
  { name: "calendar, month, a post dragged", path: "/", shown: ".calendar-chip", use: drag },
  { name: "calendar, month, scrolled", path: "/", shown: ".calendar-chip", use: scrolls(".calendar-month") },
  { name: "calendar, week, scrolled", path: "/?view=week", shown: ".calendar-chip", use: scrolls(".calendar-week") },
  { name: "posts, scrolled", path: "/posts", shown: ".posts-list li", use: scrolls("main") },
  {
    name: "calendar of 360 pixels, scrolled",
    path: "/",
    shown: ".calendar-chip",
    use: scrolls("main"),
    width: 360,
    touch: true
  },
  {
    name: "posts of 360 pixels, scrolled",
    path: "/posts",
    shown: ".posts-list li",
    use: scrolls("main"),
    width: 360,
    touch: true
  }
]

const numbersOf = async (page: Page, expression: string): Promise<ReadonlyArray<number>> => {
  const values: unknown = await page.evaluate(expression)
  return Array.isArray(values) ? values.map(Number) : []
}

/** Opens a screen as the demo's user and uses it. The load is measured from an empty cache, without the log-in page. */
const measure = async (page: Page, { path, shown, use }: Screen, url: string, duration: number) => {
  await page.goto(`${url}/login?next=/notifications`)
  await page.getByRole("button", { name: "Continue as demo" }).click()
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
  const bodies: Array<Promise<Buffer>> = []
  page.on("response", (response) => bodies.push(response.body().catch(() => Buffer.alloc(0))))
  const began = performance.now()
  await page.goto(url + path)
  await page.locator(shown).first().waitFor()
  const shownAfter = performance.now() - began
  await page.waitForLoadState("networkidle")
  const loaded = (await Promise.all(bodies)).map((body) => gzipSync(body).length)
  const devTools = await page.context().newCDPSession(page)
  await page.evaluate(watchFrames)
  const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"))
  const at = async (rate: number) => {
    await devTools.send("Emulation.setCPUThrottlingRate", { rate })
    await page.evaluate("frameTimes.length = 0; longTasks.length = 0")
    await use(page, duration)
    const frames = await numbersOf(page, "frameTimes")
    const longTasks = await numbersOf(page, "longTasks")
    return { frames: frames.length, median: median(frames), p99: percentile(frames, 0.99), longTasks: longTasks.length }
  }
  const full = await at(1)
  const slow = await at(slowdown)
  return {
    "first load, kB": loaded.reduce((sum, size) => sum + size, 0) / 1000,
    "shown after, ms": shownAfter,
    "DOM nodes": nodes,
    frames: full.frames,
    "median, ms": full.median,
    "p99, ms": full.p99,
    "long tasks": full.longTasks,
    "slow: frames": slow.frames,
    "slow: median, ms": slow.median,
    "slow: p99, ms": slow.p99,
    "slow: long tasks": slow.longTasks
  }
}

/** The smoothness of the dashboard with many posts, in Chromium. */
export const dashboard = Effect.fn("dashboard")(function* ({ seconds }: BenchOptions) {
  const database = yield* startDatabase
  const { url } = yield* startService(database)
  yield* awaitDemo(database)
  yield* insertMonth(database)
  const { page: open } = yield* Browser
  const rows: Array<Readonly<Record<string, string | number>>> = []
  for (const screen of screens) {
    yield* progress(screen.name)
    const row = yield* Effect.scoped(
      Effect.flatMap(open(screen), (page) => Effect.promise(() => measure(page, screen, url, seconds * 1000)))
    )
    rows.push({ screen: screen.name, ...row })
  }
  return [
    {
      title: "Dashboard",
      notes: `${posts} posts in the month, in a headless Chromium that draws without a graphics card, ${seconds} s each. Scrolled by 40 pixels a frame. A frame takes 16.7 ms where nothing is late; a long task keeps the page from answering for more than 50 ms. “Slow” is with a processor slowed down ${slowdown} times. What is loaded is compressed, with the posts.`,
      rows
    } satisfies Section
  ]
}, Effect.provide(Browser.layer))
