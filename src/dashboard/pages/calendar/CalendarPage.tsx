import type { RefObject } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { describeFailure } from "../../api/errors.ts"
import { integrations } from "../../api/integrations.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { isOpen } from "../../api/postStatus.ts"
import { describeClosed } from "../../shared/actions/action.ts"
import { duplicate, move } from "../../shared/actions/openers.ts"
import { LazyBulkBar } from "../../shared/bulk/LazyBulkBar.tsx"
import { SelectedProvider, type SelectionState, useSelection } from "../../shared/bulk/useSelection.ts"
import { hasFilters, readSharedFilters } from "../../shared/filters/filters.ts"
import { SearchProvider, useSearchOf } from "../../shared/filters/Marked.tsx"
import { lazily } from "../../shared/lazily.tsx"
import { useCan } from "../../shared/me.ts"
import { dropQuery, navigate, setQuery, useLocation } from "../../shared/router.tsx"
import { classes } from "../../ui/classes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Loading } from "../../ui/display/Skeleton.tsx"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { useMedia } from "../../ui/useMedia.ts"
import type { AgendaProps } from "./late/Agenda.tsx"
import type { OrderDrop } from "./late/QueueOrder.tsx"
import { CalendarHeader } from "./CalendarHeader.tsx"
import { EmptyCalendar } from "./EmptyCalendar.tsx"
import { type GridProps, MonthGrid } from "./MonthGrid.tsx"
import { AllPlatformsProvider, OutlookMarkProvider } from "./PostChip.tsx"
import { type CalendarView, newPostPath, parseSlot, rangeOf, timeInSlot } from "./range.ts"
import { PostPanel } from "./SidePanel.tsx"
import { Tray } from "./Tray.tsx"
import { useCalendarKeys } from "./useCalendarKeys.ts"
import { type CalendarPosts, useCalendarPosts } from "./useCalendarPosts.ts"
import { useCalendarSelection } from "./useCalendarSelection.ts"
import { useChipCard } from "./useChipCard.tsx"
import { useChipMenu } from "./useChipMenu.tsx"
import { useDrag } from "./useDrag.ts"
import { focusPost, useKeptFocus } from "./useKeptFocus.ts"
import { useMonthWeeks } from "./useMonthWeeks.ts"
import { useOutlookMark } from "./useOutlookMark.ts"
import { useMoveQuestions } from "./useMoveQuestions.tsx"

const WeekGrid = lazily<GridProps>("The week", async () => (await import("./late/late.ts")).WeekGrid)
const Agenda = lazily<AgendaProps>("The calendar", async () => (await import("./late/late.ts")).Agenda)
const DayView = lazily<GridProps>("The day", async () => (await import("./late/late.ts")).DayView)

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

const closePanel = () => dropQuery("post")

const viewOf = (name: string | null): CalendarView => (name === "week" || name === "day" ? name : "month")

const useView = () => {
  const { query } = useLocation()
  const isCompact = useMedia(compact)
  const view = viewOf(query.get("view"))
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
    open: (id: string) => {
      if (isCompact) navigate(`/posts/${encodeURIComponent(id)}`)
      // The open panel is one step in the history, whichever posts it has shown.
      else setQuery({ post: id }, { replace: query.get("post") !== null })
    },
    /** Another view is a step in the history. */
    goTo: (nextView: CalendarView, date: Date) => {
      const isToday = dayKey(date) === dayKey(new Date())
      setQuery(
        { view: nextView === "month" ? undefined : nextView, date: isToday ? undefined : dayKey(date) },
        { replace: nextView === view }
      )
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

/** Followed by the post's id: a place in the order of the week. */
const orderTarget = "order:"

/** Moves and copies posts, as far as the person's role allows. */
const useChipActions = (
  root: RefObject<HTMLElement | null>,
  { open, openId, view }: View,
  posts: CalendarPosts,
  { isOn }: SelectionState
) => {
  const onOrder = useRef<OrderDrop>(null)
  const can = useCan()
  const canWrite = can(move.scope)
  const copy = can(duplicate.scope) ? duplicatePost : undefined
  const { ask, dialog, move: moveOrAsk } = useMoveQuestions(posts)
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
      if (target.startsWith(orderTarget)) onOrder.current?.(id, target.slice(orderTarget.length))
      else if (target === "tray") moveOrAsk(post, null)
      else if (slot !== undefined) moveOrAsk(post, timeInSlot(slot, post.scheduled_at))
    }
  })
  const startMove = (post: PostJson) => {
    if (isOpen(post)) ask(post)
    else sayClosed(post, { copy, open })
  }
  const starts = { find, duplicate: copy, startMove: canWrite ? startMove : undefined }
  useCalendarKeys({
    ...starts,
    view,
    openId,
    move: moveOrAsk,
    close: openId === undefined ? undefined : closePanel
  })
  return {
    chipActions: { canAdd: canWrite, canMove: canWrite, startMove },
    moveDialog: dialog,
    onOrder,
    ...useChipMenu({ ...starts, open })
  }
}

/** As in side.css. */
const hasRoomBeside = window.matchMedia("(width >= 1180px) and (height >= 540px)")

/** The tray is open where it has room beside the grid, until the person changes it. */
const useTray = () => {
  const isWide = useMedia(hasRoomBeside)
  const [chosen, setChosen] = useState<{ readonly isWide: boolean; readonly isOpen: boolean }>()
  const isTrayOpen = chosen?.isWide === isWide ? chosen.isOpen : isWide
  return { isTrayOpen, toggleTray: () => setChosen({ isWide, isOpen: !isTrayOpen }) }
}

interface PartProps {
  readonly shown: View
  readonly chips: GridProps
}

const Main = ({ chips, shown }: PartProps) => {
  const { filters, goTo, hasDate, isCompact, isMonth, view, weeks } = shown
  const { canAdd, posts, range } = chips
  const isFiltered = hasFilters({ ...filters, text: undefined, from: undefined, to: undefined })
  // Somebody who scrolls through empty weeks does not need the message each time.
  const isScrolled = isMonth && hasDate && !isFiltered
  const isEmpty = !posts.isLoading && posts.error === undefined && posts.count === 0 && !isScrolled
  return (
    <div class="calendar-main">
      {view === "day" ? (
        <DayView {...chips} />
      ) : isCompact ? (
        <Agenda {...chips} goTo={goTo} />
      ) : view === "month" ? (
        <MonthGrid {...chips} weeks={weeks} showMonth={(day) => goTo("month", day)} />
      ) : (
        <WeekGrid {...chips} />
      )}
      {isEmpty && (
        <EmptyCalendar
          view={view}
          hasDrafts={posts.drafts.length > 0}
          canWrite={canAdd}
          isFiltered={isFiltered}
          href={
            view === "day"
              ? newPostPath({ day: range.from }, new Date(), posts.free.get(dayKey(range.from)))
              : "/compose"
          }
        />
      )}
    </div>
  )
}

interface SideProps extends PartProps {
  readonly isTrayOpen: boolean
  readonly onOrder: RefObject<OrderDrop | null>
  /** True if the panel was opened by a key, and takes the focus. */
  readonly takesFocus: boolean
}

const Side = ({ chips, isTrayOpen, onOrder, shown: { isCompact }, takesFocus }: SideProps) => {
  const { canAdd, openId, posts, startMove } = chips
  if (openId !== undefined && !isCompact) {
    const openPost = posts.find(openId)
    const onMove = canAdd && openPost !== undefined && isOpen(openPost) ? () => startMove(openPost) : undefined
    return <PostPanel key={openId} id={openId} takesFocus={takesFocus} onClose={closePanel} onMove={onMove} />
  }
  return isTrayOpen ? <Tray {...chips} onOrder={onOrder} /> : null
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

const dayOf = (post: PostJson | undefined): string | undefined =>
  post?.scheduled_at == null ? undefined : dayKey(new Date(post.scheduled_at))

/** The panel gives the focus back to its post. A post that was searched for gets it once it is drawn. */
const useFocus = (root: RefObject<HTMLElement | null>, openId: string | undefined, { find }: CalendarPosts) => {
  const [wanted, setWanted] = useState<string>()
  useKeptFocus(root, (id) => dayOf(find(id)))
  const before = useRef(openId)
  useLayoutEffect(() => {
    const closed = before.current
    before.current = openId
    if (closed === undefined || openId !== undefined || document.activeElement !== document.body) return
    focusPost(root.current, closed, dayOf(find(closed)))
  }, [openId])
  useLayoutEffect(() => {
    // A post is found before its day is drawn.
    if (wanted === undefined || find(wanted) === undefined) return
    if (focusPost(root.current, wanted, dayOf(find(wanted)))) setWanted(undefined)
  })
  return setWanted
}

const useAllPlatforms = () => {
  const { data } = useQuery(integrations)
  return useMemo(() => data?.data.map(({ platform }) => platform), [data])
}

export const Page = () => {
  const root = useRef<HTMLDivElement>(null)
  const shown = useView()
  const { blocks, filters, goTo, open, openId, range, view } = shown
  const posts = useCalendarPosts(blocks, filters)
  const search = useSearchOf(filters.text)
  const allPlatforms = useAllPlatforms()
  const outlookMark = useOutlookMark(!posts.isLoading)
  const [takesFocus, setTakesFocus] = useState(false)
  const focusLater = useFocus(root, openId, posts)
  const card = useChipCard(root, posts.find)
  const tray = useTray()
  const selected = useSelection()
  const { findShown, selectByClick } = useCalendarSelection(posts, selected)
  const { chipActions, menu, moveDialog, onContextMenu, onOrder } = useChipActions(root, shown, posts, selected)
  const chips = {
    ...chipActions,
    range,
    posts,
    openId,
    open: (id: string, byKey: boolean) => {
      setTakesFocus(byKey)
      open(id)
    },
    openDay: (day: Date) => goTo("day", day)
  }
  const showPost = (post: PostJson) => {
    const isDrawn = focusPost(root.current, post.id, dayOf(post))
    if (!isDrawn && post.scheduled_at !== null) goTo(view, new Date(post.scheduled_at))
    focusLater(post.id)
  }
  return (
    <SearchProvider value={search}>
      <SelectedProvider value={selected}>
        <div
          ref={root}
          class={classes("calendar", timeSettings.get().hours === 12 && "calendar-12")}
          onContextMenu={onContextMenu}
          onClickCapture={selectByClick}
        >
          <CalendarHeader
            range={range}
            posts={posts}
            filters={filters}
            selected={selected}
            show={goTo}
            showPost={showPost}
            {...tray}
          />
          <CalendarError posts={posts} />
          {posts.isLoading && <Loading label="Loading the calendar" />}
          <div class="calendar-body">
            <AllPlatformsProvider value={allPlatforms}>
              <OutlookMarkProvider value={outlookMark}>
                <Main shown={shown} chips={chips} />
                <Side
                  shown={shown}
                  chips={chips}
                  isTrayOpen={tray.isTrayOpen}
                  onOrder={onOrder}
                  takesFocus={takesFocus}
                />
              </OutlookMarkProvider>
            </AllPlatformsProvider>
          </div>
          {menu}
          {card}
          <LazyBulkBar selected={selected} find={findShown} place="this view" />
          {moveDialog}
        </div>
      </SelectedProvider>
    </SearchProvider>
  )
}
