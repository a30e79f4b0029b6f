import { useMemo, useRef, useState } from "preact/hooks"
import { describeFailure } from "../../api/errors.ts"
import type { PostJson } from "../../api/posts.ts"
import { describeClosed } from "../../shared/actions/action.ts"
import { duplicate, move } from "../../shared/actions/openers.ts"
import { LazyBulkBar } from "../../shared/bulk/LazyBulkBar.tsx"
import { SelectedProvider } from "../../shared/bulk/selectedContext.ts"
import { useSelection } from "../../shared/bulk/useSelection.ts"
import { useCan } from "../../shared/me.ts"
import { hasFilters, readSharedFilters } from "../../shared/filters/filters.ts"
import { SearchProvider, usePattern } from "../../shared/filters/Marked.tsx"
import { navigate, setQuery, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Loading } from "../../ui/display/Skeleton.tsx"
import { dayKey, parseDay } from "../../ui/time/day.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { Agenda } from "./Agenda.tsx"
import { CalendarFilters } from "./CalendarFilters.tsx"
import { CalendarHeader } from "./CalendarHeader.tsx"
import { EmptyCalendar } from "./EmptyCalendar.tsx"
import { MonthGrid } from "./MonthGrid.tsx"
import { MoveDialog } from "./MoveDialog.tsx"
import { type CalendarView, parseSlot, rangeOf, timeInSlot } from "./range.ts"
import { DayPanel, PostPanel } from "./SidePanel.tsx"
import { Tray } from "./Tray.tsx"
import { useCalendarKeys } from "./useCalendarKeys.ts"
import { useCalendarSelection } from "./useCalendarSelection.ts"
import { useMonthWeeks } from "./useMonthWeeks.ts"
import { isOpen } from "../../api/postStatus.ts"
import { useCalendarPosts } from "./useCalendarPosts.ts"
import { useChipMenu } from "./useChipMenu.tsx"
import { useCompact } from "./useCompact.ts"
import { useDrag } from "./useDrag.ts"
import { WeekGrid } from "./WeekGrid.tsx"

/** Loads the code for copies on first use, together with the composer. */
const duplicatePost = async (post: PostJson) => {
  try {
    const { duplicatePost: run } = await import("../../shared/actions/copy.ts")
    await run(post)
  } catch {
    toast("The copy couldn’t be made. Check the connection, and reload the page.", { tone: "error" })
  }
}

const sayClosed = (post: PostJson) => {
  const why = describeClosed(post)
  if (why !== undefined) toast(why)
}

const closePanel = () => {
  setQuery({ post: undefined, day: undefined })
}

export const Page = () => {
  const { query } = useLocation()
  const can = useCan()
  const canWrite = can(move.scope)
  const copy = can(duplicate.scope) ? duplicatePost : undefined
  const isCompact = useCompact()
  const view: CalendarView = query.get("view") === "week" ? "week" : "month"
  const dateText = query.get("date")
  const times = timeSettings.get()
  const day = parseDay(dateText) ?? new Date()
  const isMonth = view === "month" && !isCompact
  const month = useMonthWeeks(day)
  const plain = useMemo(() => {
    const whole = rangeOf(view, day)
    return { range: whole, blocks: [{ ...whole, slot: 0 }] }
  }, [view, dayKey(day), times])
  const { blocks, range } = isMonth ? month : plain
  const filters = readSharedFilters(query)
  const posts = useCalendarPosts(blocks, filters)
  const pattern = usePattern(filters.text)
  const root = useRef<HTMLDivElement>(null)
  const [moving, setMoving] = useState<string>()
  const [tray, setTray] = useState<{ readonly isCompact: boolean; readonly isOpen: boolean }>()
  const isTrayOpen = tray?.isCompact === isCompact ? tray.isOpen : !isCompact
  const selected = useSelection()
  const openId = query.get("post") ?? undefined
  const openDay = parseDay(query.get("day"))

  useDrag(root, {
    canDrag: (id) => {
      const post = posts.find(id)
      return canWrite && !selected.isOn && post !== undefined && isOpen(post)
    },
    onRefused: (id) => {
      const post = posts.find(id)
      if (canWrite && !selected.isOn && post !== undefined) sayClosed(post)
    },
    onDrop: (id, target) => {
      const post = posts.find(id)
      const slot = parseSlot(target)
      if (post === undefined) return
      if (target === "tray") posts.move(post, null)
      else if (slot !== undefined) posts.move(post, timeInSlot(slot, post.scheduled_at))
    }
  })

  const startMove = (post: PostJson) => {
    if (isOpen(post)) setMoving(post.id)
    else sayClosed(post)
  }
  const findShown = useCalendarSelection(root, posts, selected)
  const moveByKey = useCalendarKeys(root, {
    view,
    openId,
    duplicate: copy,
    find: posts.find,
    move: posts.move,
    startMove: canWrite ? startMove : undefined,
    close: openId === undefined && openDay === undefined ? undefined : closePanel
  })

  const open = (id: string) => {
    if (isCompact) navigate(`/posts/${encodeURIComponent(id)}`)
    else setQuery({ post: id })
  }
  const goTo = (nextView: CalendarView, date: Date) => {
    const isToday = dayKey(date) === dayKey(new Date())
    setQuery({
      view: nextView === "week" ? "week" : undefined,
      date: isToday ? undefined : dayKey(date),
      day: undefined
    })
    if (nextView === "month") month.show(date)
  }
  const { menu, onContextMenu } = useChipMenu({
    find: posts.find,
    open,
    duplicate: copy,
    startMove: canWrite ? startMove : undefined
  })
  const shared = {
    range,
    posts,
    openId,
    open,
    moveByKey,
    canAdd: canWrite,
    startMove,
    openDay: (opened: Date) => {
      setQuery({ day: dayKey(opened), post: undefined })
    }
  }
  const movingPost = moving === undefined ? undefined : posts.find(moving)
  const openPost = openId === undefined ? undefined : posts.find(openId)
  const isFiltered = hasFilters({ ...filters, text: undefined, from: undefined, to: undefined })
  // A person who scrolls through empty weeks does not need the message each time.
  const isScrolled = isMonth && dateText !== null && !isFiltered
  const isEmpty = !posts.isLoading && posts.error === undefined && posts.count === 0 && !isScrolled
  return (
    <SearchProvider value={pattern}>
      <SelectedProvider value={selected}>
        <div ref={root} class="calendar" onContextMenu={onContextMenu}>
          <CalendarHeader
            range={range}
            draftCount={posts.drafts.length}
            isTrayOpen={isTrayOpen}
            selected={selected}
            toggleTray={() => {
              setTray({ isCompact, isOpen: !isTrayOpen })
            }}
            show={goTo}
          />
          <CalendarFilters filters={filters} posts={posts} />
          {posts.error !== undefined && (
            <div class="calendar-error">
              <FormError>
                {describeFailure(posts.error)}{" "}
                <Button size="small" onClick={posts.retry}>
                  Try again
                </Button>
              </FormError>
            </div>
          )}
          {posts.isLoading && <Loading label="Loading the calendar" />}
          <div class="calendar-body">
            <div class="calendar-main">
              {isCompact ? (
                <Agenda {...shared} goTo={goTo} />
              ) : view === "month" ? (
                <MonthGrid {...shared} weeks={month.weeks} />
              ) : (
                <WeekGrid {...shared} />
              )}
              {isEmpty && (
                <EmptyCalendar
                  view={view}
                  hasDrafts={posts.drafts.length > 0}
                  canWrite={canWrite}
                  isFiltered={isFiltered}
                />
              )}
            </div>
            {openId !== undefined && !isCompact ? (
              <PostPanel
                key={openId}
                id={openId}
                onClose={closePanel}
                onMove={
                  canWrite && openPost !== undefined && isOpen(openPost)
                    ? () => {
                        setMoving(openId)
                      }
                    : undefined
                }
              />
            ) : openDay !== undefined && !isCompact ? (
              <DayPanel
                day={openDay}
                posts={posts.byDay.get(dayKey(openDay)) ?? []}
                canAdd={canWrite}
                open={open}
                moveByKey={moveByKey}
                onClose={closePanel}
              />
            ) : (
              isTrayOpen && <Tray posts={posts} openId={openId} open={open} moveByKey={moveByKey} canWrite={canWrite} />
            )}
          </div>
          {menu}
          <LazyBulkBar selected={selected} find={findShown} place="this view" />
          {movingPost !== undefined && (
            <MoveDialog
              post={movingPost}
              onClose={() => {
                setMoving(undefined)
              }}
              onMove={(to) => {
                setMoving(undefined)
                posts.move(movingPost, to)
              }}
            />
          )}
        </div>
      </SelectedProvider>
    </SearchProvider>
  )
}
