import type { Locator, Page } from "playwright-core"

export const dayMillis = 24 * 60 * 60_000

/** The months in which Berlin changes its clocks, at the end of March and October. */
const clockChanges = new Set([2, 9])

/**
 * A second Tuesday of a month at half past eleven UTC, and the day after it. It is one to ten weeks ahead, and weeks
 * away from the end of the month and from a change of the clocks.
 */
export const tuesday = (() => {
  const day = new Date()
  day.setUTCHours(11, 30, 0, 0)
  day.setUTCDate(day.getUTCDate() + 7)
  const isSecondTuesday = () => day.getUTCDay() === 2 && Math.ceil(day.getUTCDate() / 7) === 2
  while (!isSecondTuesday() || clockChanges.has(day.getUTCMonth())) day.setUTCDate(day.getUTCDate() + 1)
  return day
})()
export const wednesday = new Date(tuesday.getTime() + dayMillis)
export const dayOf = (date: Date) => date.toISOString().slice(0, 10)
export const titleOf = (date: Date) =>
  date.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" })

export const calendar = (view = "month") => `/?view=${view}&date=${dayOf(tuesday)}`

export const chipOn = (page: Page, date: Date, words: string) =>
  dayCell(page, date).getByRole("button", { name: words })

export const centerOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
}

export const drag = async (page: Page, from: Locator, to: Locator) => {
  const start = await centerOf(from)
  const end = await centerOf(to)
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(start.x + 10, start.y + 10)
  await page.mouse.move(end.x, end.y, { steps: 4 })
  await page.mouse.up()
}

export const dayCell = (page: Page, date: Date) => page.locator(`.calendar-day[data-day="${dayOf(date)}"]`)
