import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { parseDay } from "../../ui/time/day.ts"
import { monthsTurned, placeAfter } from "./roving.ts"

const items = ".calendar-chip, button.calendar-day-number, .calendar-week-day, .calendar-more"

const dayOf = (element: Element): string => element.closest<HTMLElement>("[data-day]")?.dataset["day"] ?? ""

/** The items of each day, in the order of the days. */
const daysIn = (root: HTMLElement): ReadonlyArray<ReadonlyArray<HTMLElement>> =>
  Array.from(Map.groupBy(root.querySelectorAll<HTMLElement>(items), dayOf))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([, of]) => of)

const isStop = (element: HTMLElement): boolean => element.tabIndex === 0

/** The stop of a calendar that had no focus yet: the open post, today, or else the first item in view. */
const firstStop = (root: HTMLElement): HTMLElement | undefined => {
  const top = root.getBoundingClientRect().top
  const today = root.querySelector("[aria-current=date]")
  const inToday = root.querySelector<HTMLElement>(
    `[data-day="${CSS.escape(today === null ? "" : dayOf(today))}"] .calendar-chip`
  )
  const open = root.querySelector<HTMLElement>(".calendar-chip[aria-current=true]")
  const all = Array.from(root.querySelectorAll<HTMLElement>(items))
  const current = open ?? inToday ?? all.find((each) => each.matches("[aria-current=date]"))
  return current ?? all.find((each) => each.getBoundingClientRect().top > top) ?? all[0]
}

const keepOneStop = (root: HTMLElement) => {
  const all = Array.from(root.querySelectorAll<HTMLElement>(items))
  // An element without the attribute is new. It is a stop only if there is no other.
  const stop = all.find((each) => each.hasAttribute("tabindex") && isStop(each)) ?? firstStop(root)
  for (const each of all) {
    const wanted = each === stop ? "0" : "-1"
    if (each.getAttribute("tabindex") !== wanted) each.setAttribute("tabindex", wanted)
  }
}

const moveTo = (root: HTMLElement, next: HTMLElement) => {
  for (const each of root.querySelectorAll<HTMLElement>(items)) if (isStop(each)) each.tabIndex = -1
  next.tabIndex = 0
}

const follow = (root: HTMLElement, isMonth: boolean) => (event: KeyboardEvent) => {
  const { altKey, ctrlKey, key, metaKey, shiftKey, target } = event
  if (altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented || !(target instanceof Element)) return
  const days = daysIn(root)
  const from = days
    .flatMap((of, day) => of.map((element, item) => ({ day, item, element })))
    .find(({ element }) => element === target)
  const place =
    from &&
    placeAfter(
      days.map(({ length }) => length),
      from,
      key,
      isMonth
    )
  const next = place && days[place.day]?.[place.item]
  // An arrow at the edge does not step to another month.
  if (next === undefined && !/^(?:Arrow|Home|End)/.test(key)) return
  if (from === undefined) return
  event.preventDefault()
  event.stopPropagation()
  next?.focus()
}

type TurnMonth = (from: Date, months: number) => string

/**
 * Page Down and Page Up in a month. A turned month draws other days, so the day there gets the focus once it is drawn.
 */
const useMonthTurns = (root: RefObject<HTMLElement | null>, turn: TurnMonth | undefined) => {
  const wanted = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const button = root.current?.querySelector<HTMLElement>(
      `[data-day="${CSS.escape(wanted.current ?? "")}"] button.calendar-day-number`
    )
    if (button == null) return
    wanted.current = undefined
    button.focus({ preventScroll: true })
  })
  return (event: KeyboardEvent) => {
    const { altKey, ctrlKey, key, metaKey, shiftKey, target } = event
    const months = monthsTurned(key)
    if (months === 0 || altKey || ctrlKey || metaKey || shiftKey || !(target instanceof Element)) return
    const from = parseDay(wanted.current ?? dayOf(target))
    if (turn === undefined || from === undefined) return
    event.preventDefault()
    event.stopPropagation()
    wanted.current = turn(from, months)
  }
}

interface Roving {
  /** Shows the same day of another month, and returns its `dayKey`. Set if weeks are rows. */
  readonly turnMonth?: TurnMonth
}

/**
 * Makes the posts and days in an element one stop of the Tab key. Arrow keys, Home and End move within it, Page Down
 * and Page Up to the next month and the one before.
 */
export const useRoving = (root: RefObject<HTMLElement | null>, { turnMonth }: Roving = {}) => {
  const month = useRef(false)
  month.current = turnMonth !== undefined
  const turn = useRef<(event: KeyboardEvent) => void>(() => undefined)
  turn.current = useMonthTurns(root, turnMonth)
  useLayoutEffect(() => {
    if (root.current !== null) keepOneStop(root.current)
  })
  useLayoutEffect(() => {
    const element = root.current
    if (element === null) return
    const keep = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.matches(items)) moveTo(element, target)
    }
    const move = (event: KeyboardEvent) => {
      turn.current(event)
      follow(element, month.current)(event)
    }
    element.addEventListener("focusin", keep)
    element.addEventListener("keydown", move)
    return () => {
      element.removeEventListener("focusin", keep)
      element.removeEventListener("keydown", move)
    }
  }, [root])
}
