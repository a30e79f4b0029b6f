import type { RefObject } from "preact"
import { useMemo, useRef, useState } from "preact/hooks"
import { describeFailure } from "../../api/errors.ts"
import type { PostJson } from "../../api/posts.ts"
import { isOpen } from "../../api/postStatus.ts"
import { describeClosed } from "../../shared/actions/action.ts"
import { duplicate, move } from "../../shared/actions/openers.ts"
import { LazyBulkBar } from "../../shared/bulk/LazyBulkBar.tsx"
import { SelectedProvider, type SelectionState, useSelection } from "../../shared/bulk/useSelection.ts"
import { hasFilters, readSharedFilters } from "../../shared/filters/filters.ts"
import { SearchProvider, usePattern } from "../../shared/filters/Marked.tsx"
import { useCan } from "../../shared/me.ts"
import { navigate, querySetter, setQuery, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Loading } from "../../ui/display/Skeleton.tsx"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { useMedia } from "../../ui/useMedia.ts"
import { Agenda } from "./Agenda.tsx"
import { CalendarFilters } from "./CalendarFilters.tsx"
import { CalendarHeader } from "./CalendarHeader.tsx"
import { EmptyCalendar } from "./EmptyCalendar.tsx"
import { type GridProps, MonthGrid } from "./MonthGrid.tsx"
import { type CalendarView, parseSlot, rangeOf, timeInSlot } from "./range.ts"
import { DayPanel, PostPanel } from "./SidePanel.tsx"
import { Tray } from "./Tray.tsx"
import { useCalendarKeys } from "./useCalendarKeys.ts"
import { type CalendarPosts, useCalendarPosts } from "./useCalendarPosts.ts"
import { useCalendarSelection } from "./useCalendarSelection.ts"
import { useChipMenu } from "./useChipMenu.tsx"
import { useDrag } from "./useDrag.ts"
import { useMonthWeeks } from "./useMonthWeeks.ts"
import { useMoveQuestions } from "./useMoveQuestions.tsx"
import { WeekGrid } from "./WeekGrid.tsx"

/** True on phones, and in windows at a zoom of 200%. */
const compact = window.matchMedia("(width < 720px) or (height < 540px)")

/** Loads the code for copies at first use, because it comes with the composer. */
const duplicatePost = async (post: PostJson) => {
  try {
    const { duplicatePost: run } = await import("../../shared/actions/copy.ts")
    await run(post)
  } catch {
    toast("The copy couldn’t be made. Check the connection, and reload the page.", { tone: "error" })
  }
}

const closePanel = querySetter({ post: undefined, day: undefined })

const useView = () => {
  const { query } = useLocation()
  const isCompact = useMedia(compact)
  const view: CalendarView = query.get("view") === "week" ? "week" : "month"
  const times = timeSettings.get()
  const day = parseDay(query.get("date")) ?? new Date()
  const isMonth = view === "month" && !isCompact
  const month = useMonthWeeks(day)
  const unscrolled = useMemo(() => {
    const whole = rangeOf(view, day)
    return { range: whole, blocks: [{ ...whole, slot: 0 }] }
  }, [view, dayKey(day), times])
  const { blocks, range } = isMonth ? month : unscrolled
  return {
    view,
    isCompact,
    isMonth,
    range,
    blocks,
    weeks: month.weeks,
    hasDate: query.get("date") !== null,
    filters: readSharedFilters(query),
    openId: query.get("post") ?? undefined,
    openDay: parseDay(query.get("day")),
    open: (id: string) => {
      if (isCompact) navigate(`/posts/${encodeURIComponent(id)}`)
      else setQuery({ post: id })
    },
    goTo: (nextView: CalendarView, date: Date) => {
      const isToday = dayKey(date) === dayKey(new Date())
      setQuery({
        view: nextView === "week" ? "week" : undefined,
        date: isToday ? undefined : dayKey(date),
        day: undefined
      })
      if (nextView === "month") month.show(date)
    }
  }
}

type View = ReturnType<typeof useView>

/** Says why a post can't be moved, and offers what helps. */
const sayClosed = (
  post: PostJson,
  { copy, open }: { readonly copy: typeof duplicatePost | undefined } & Pick<View, "open">
) => {
  const why = describeClosed(post)
  if (why === undefined) return
  if (post.status === "failed") toast(why, { action: { label: "Open it", run: () => open(post.id) } })
  else if (post.status === "published" && copy !== undefined) {
    toast(why, { action: { label: duplicate.label, run: () => void copy(post) } })
  } else toast(why)
}

/** Moves and copies posts, as far as the person's role allows. */
const useChipActions = (
  root: RefObject<HTMLElement | null>,
  { open, openDay, openId, view }: View,
  posts: CalendarPosts,
  { isOn }: SelectionState
) => {
  const can = useCan()
  const canWrite = can(move.scope)
  const copy = can(duplicate.scope) ? duplicatePost : undefined
  const { ask, dialog, move: moveOrAsk } = useMoveQuestions(root, posts)
  const { find } = posts
  const findDragged = (id: string) => (canWrite && !isOn ? find(id) : undefined)
  useDrag(root, {
    canDrag: (id) => {
      const post = findDragged(id)
      return post !== undefined && isOpen(post)
    },
    onRefused: (id) => {
      const post = findDragged(id)
      if (post !== undefined) sayClosed(post, { copy, open })
    },
    onDrop: (id, target) => {
      const post = find(id)
      const slot = parseSlot(target)
      if (post === undefined) return
      if (target === "tray") moveOrAsk(post, null)
      else if (slot !== undefined) moveOrAsk(post, timeInSlot(slot, post.scheduled_at))
    }
  })
  const startMove = (post: PostJson) => {
    if (isOpen(post)) ask(post)
    else sayClosed(post, { copy, open })
  }
  const starts = { find, duplicate: copy, startMove: canWrite ? startMove : undefined }
  const moveByKey = useCalendarKeys(root, {
    ...starts,
    view,
    openId,
    move: moveOrAsk,
    close: openId === undefined && openDay === undefined ? undefined : closePanel
  })
  return {
    chipActions: { canAdd: canWrite, startMove, moveByKey },
    moveDialog: dialog,
    ...useChipMenu({ ...starts, open })
  }
}

/** The tray is open in wide windows and closed in narrow ones, until the person changes it. */
const useTray = (isCompact: boolean) => {
  const [chosen, setChosen] = useState<{ readonly isCompact: boolean; readonly isOpen: boolean }>()
  const isTrayOpen = chosen?.isCompact === isCompact ? chosen.isOpen : !isCompact
  return { isTrayOpen, toggleTray: () => setChosen({ isCompact, isOpen: !isTrayOpen }) }
}

interface PartProps {
  readonly shown: View
  readonly chips: GridProps
}

const Main = ({ chips, shown }: PartProps) => {
  const { filters, goTo, hasDate, isCompact, isMonth, view, weeks } = shown
  const { canAdd, posts } = chips
  const isFiltered = hasFilters({ ...filters, text: undefined, from: undefined, to: undefined })
  // Somebody who scrolls through empty weeks does not need the message each time.
  const isScrolled = isMonth && hasDate && !isFiltered
  const isEmpty = !posts.isLoading && posts.error === undefined && posts.count === 0 && !isScrolled
  return (
    <div class="calendar-main">
      {isCompact ? (
        <Agenda {...chips} goTo={goTo} />
      ) : view === "month" ? (
        <MonthGrid {...chips} weeks={weeks} />
      ) : (
        <WeekGrid {...chips} />
      )}
      {isEmpty && (
        <EmptyCalendar view={view} hasDrafts={posts.drafts.length > 0} canWrite={canAdd} isFiltered={isFiltered} />
      )}
    </div>
  )
}

const Side = ({ chips, isTrayOpen, shown: { isCompact, openDay } }: PartProps & { readonly isTrayOpen: boolean }) => {
  const { canAdd, openId, posts, startMove } = chips
  if (openId !== undefined && !isCompact) {
    const openPost = posts.find(openId)
    const onMove = canAdd && openPost !== undefined && isOpen(openPost) ? () => startMove(openPost) : undefined
    return <PostPanel key={openId} id={openId} onClose={closePanel} onMove={onMove} />
  }
  if (openDay !== undefined && !isCompact) return <DayPanel {...chips} day={openDay} onClose={closePanel} />
  return isTrayOpen ? <Tray {...chips} /> : null
}

const CalendarError = ({ posts: { error, refetch } }: { readonly posts: CalendarPosts }) =>
  error === undefined ? null : (
    <div class="calendar-error">
      <FormError>
        {describeFailure(error)}{" "}
        <Button size="small" onClick={refetch}>
          Try again
        </Button>
      </FormError>
    </div>
  )

export const Page = () => {
  const root = useRef<HTMLDivElement>(null)
  const shown = useView()
  const { blocks, filters, goTo, isCompact, open, openId, range } = shown
  const posts = useCalendarPosts(blocks, filters)
  const pattern = usePattern(filters.text)
  const tray = useTray(isCompact)
  const selected = useSelection()
  const { findShown, selectByClick } = useCalendarSelection(posts, selected)
  const { chipActions, menu, moveDialog, onContextMenu } = useChipActions(root, shown, posts, selected)
  const chips = {
    ...chipActions,
    range,
    posts,
    openId,
    open,
    openDay: (opened: Date) => setQuery({ day: dayKey(opened), post: undefined })
  }
  return (
    <SearchProvider value={pattern}>
      <SelectedProvider value={selected}>
        <div ref={root} class="calendar" onContextMenu={onContextMenu} onClickCapture={selectByClick}>
          <CalendarHeader range={range} drafts={posts.drafts} selected={selected} show={goTo} {...tray} />
          <CalendarFilters filters={filters} posts={posts} />
          <CalendarError posts={posts} />
          {posts.isLoading && <Loading label="Loading the calendar" />}
          <div class="calendar-body">
            <Main shown={shown} chips={chips} />
            <Side shown={shown} chips={chips} isTrayOpen={tray.isTrayOpen} />
          </div>
          {menu}
          <LazyBulkBar selected={selected} find={findShown} place="this view" />
          {moveDialog}
        </div>
      </SelectedProvider>
    </SearchProvider>
  )
}
