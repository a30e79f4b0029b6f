import { Context, Effect, Layer, RcRef, Scope } from "effect"
import { type Browser as Chromium, chromium as playwright, type Page } from "playwright-core"
import { chromiumPath } from "./chromium.ts"

export interface PageOptions {
  readonly colorScheme?: "light" | "dark"
  /** In pixels; 1440 by default. */
  readonly width?: number
  /** In pixels; 900 by default, and 740 where it is as narrow as a phone. */
  readonly height?: number
  /** Like a phone: touch instead of a pointer. */
  readonly touch?: boolean
  /**
   * Whether the page has a clock that can be paused. It gets one before anything is loaded: in a page that is there already, it is 1970
   * for a moment.
   */
  readonly ownClock?: boolean
  /** The time on the page's clock: fixed, or counted from there by a clock of its own. The machine's by default. */
  readonly time?: Date
}

const launch = Effect.promise(async () =>
  playwright.launch({
    args: ["--no-sandbox", "--disable-gpu", "--lang=en-US"],
    executablePath: chromiumPath
  })
)

const newPage = (browser: Chromium, options: PageOptions) =>
  Effect.gen(function* () {
    const {
      colorScheme = "light",
      ownClock = false,
      time,
      touch = false,
      width = 1440,
      height = width < 720 ? 740 : 900
    } = options
    const context = yield* Effect.acquireRelease(
      Effect.promise(() =>
        browser.newContext({
          colorScheme,
          // Colors are compared while nothing moves, and positions as well.
          reducedMotion: "reduce",
          hasTouch: touch,
          isMobile: touch,
          viewport: { width, height },
          timezoneId: "Europe/Berlin"
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

/** The Chromium of this process, which files that follow each other share: it ends once none has used it for a while. */
const chromiumRef = RcRef.make({
  acquire: Effect.acquireRelease(launch, (opened) => Effect.promise(() => opened.close())),
  idleTimeToLive: "5 seconds"
}).pipe(Scope.provide(Scope.makeUnsafe()), Effect.runSync)

/** A real Chromium. */
export class Browser extends Context.Service<
  Browser,
  {
    /** A page with cookies and storage of its own, closed with the scope. */
    readonly page: (options?: PageOptions) => Effect.Effect<Page, never, Scope.Scope>
  }
>()("test/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.map(RcRef.get(chromiumRef), (browser) => ({ page: (options = {}) => newPage(browser, options) }))
  )
}
