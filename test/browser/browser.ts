import { Context, Effect, Layer, RcRef, Scope } from "effect"
import { type Browser as Chromium, chromium as playwright, type Page } from "playwright-core"
import { chromiumPath } from "./chromium.ts"

export interface PageOptions {
  readonly colorScheme?: "light" | "dark"
  /** In pixels; 1440 by default. */
  readonly width?: number
  /** In pixels; 900 by default, or 740 if the page is as narrow as a phone. */
  readonly height?: number
  /** True for touch instead of a pointer, as on a phone. */
  readonly touch?: boolean
  /**
   * True if the page's clock can be paused. The clock is installed before anything is loaded; in a page that is already
   * loaded, it would show 1970 for a moment.
   */
  readonly ownClock?: boolean
  /** The time on the page's clock: fixed, or the start of a clock with `ownClock`. By default the machine's time. */
  readonly time?: Date
  /** The browser's time zone; `Europe/Berlin` by default. */
  readonly timeZone?: string
}

const launch = Effect.promise(async () =>
  playwright.launch({
    args: ["--no-sandbox", "--disable-gpu", "--lang=en-US"],
    // Playwright has Chromium share memory between its processes through files in this folder.
    env: { ...process.env, TMPDIR: process.env["FAST_FOLDER"] ?? process.env["TMPDIR"] },
    executablePath: chromiumPath
  })
)

const newPage = (browser: Chromium, options: PageOptions) =>
  Effect.gen(function* () {
    const {
      colorScheme = "light",
      ownClock = false,
      time,
      timeZone = "Europe/Berlin",
      touch = false,
      width = 1440,
      height = width < 720 ? 740 : 900
    } = options
    const context = yield* Effect.acquireRelease(
      Effect.promise(() =>
        browser.newContext({
          colorScheme,
          // Without motion, colors and positions can be compared.
          reducedMotion: "reduce",
          hasTouch: touch,
          isMobile: touch,
          viewport: { width, height },
          timezoneId: timeZone
        })
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    context.setDefaultTimeout(30_000)
    return yield* Effect.promise(async () => {
      const page = await context.newPage()
      if (ownClock) await page.clock.install(time && { time })
      else if (time !== undefined) await page.clock.setFixedTime(time)
      return page
    })
  })

/** The Chromium of this process. Consecutive test files share it; it ends when it has not been used for a while. */
const chromiumRef = RcRef.make({
  acquire: Effect.acquireRelease(launch, (opened) => Effect.promise(() => opened.close())),
  idleTimeToLive: "5 seconds"
}).pipe(Scope.provide(Scope.makeUnsafe()), Effect.runSync)

/** A real Chromium. */
export class Browser extends Context.Service<
  Browser,
  {
    /** A page with its own cookies and storage. The scope closes it. */
    readonly page: (options?: PageOptions) => Effect.Effect<Page, never, Scope.Scope>
  }
>()("test/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.map(RcRef.get(chromiumRef), (browser) => ({ page: (options = {}) => newPage(browser, options) }))
  )
}
