import { useEffect, useState } from "preact/hooks"
import { describeWait } from "../../api/errors.ts"
import { watchIdentity } from "../../api/identity.ts"
import { pausedUntil } from "../../api/pause.ts"
import type { PostJson } from "../../api/posts.ts"
import { useStore } from "../../store/useStore.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { useCountdown } from "../../ui/time/useCountdown.ts"
import { useCan } from "../me.ts"
import { useShortcut } from "../shortcuts.ts"
import { AskDialog, MoveManyDialog, SummaryDialog, TagManyDialog } from "./BulkDialogs.tsx"
import { isRunning, type RunStart, startRun } from "./bulkRun.ts"
import { type BulkRun, bulkRun, dropRun } from "./currentRun.ts"
import { type BulkAction, countOpen, hasChange, planAction } from "./plan.ts"
import { type Selected, selection } from "./selection.ts"
import { type Summary, undoOf, wordsOf } from "./summary.ts"
import type { SelectionState } from "./useSelection.ts"

export interface BulkBarProps {
  readonly selected: SelectionState
  /** The posts that the page shows or could scroll to, as they are by now. */
  readonly find: (id: string) => PostJson | undefined
  /** How the page calls where they are. */
  readonly place: string
}

type Asking = "approve" | "delete" | "draft" | "move" | "tag"

const groupNames = { group: "Selected posts" }

const nameCount = (count: number): string => (count === 1 ? "1 post" : `${count} posts`)

/** Why an action stands still while the service takes no requests. */
const Wait = () => {
  const until = useStore(pausedUntil)
  const wait = useCountdown(until ?? undefined)
  if (until === null) return null
  return <span class="numbers secondary">Too many requests: goes on in {describeWait(Math.max(1, wait))}</span>
}

const Progress = ({ run }: { readonly run: BulkRun }) => (
  <>
    <span class="bulk-count">{wordsOf(run.action, run.total).doing}</span>
    <progress class="bulk-progress" value={run.settled} max={run.total} aria-label="Progress" />
    <span class="numbers secondary">
      {run.settled} of {run.total}
    </span>
    <Wait />
    <Button size="small" onClick={run.stop}>
      Stop
    </Button>
  </>
)

/** Another revision is shown where the page has a later one than was selected. */
const latest = ({ post, seen }: Selected, shown: PostJson | undefined): Selected =>
  shown !== undefined &&
  (shown.revision > post.revision || (shown.revision === post.revision && shown.status !== post.status))
    ? { post: shown, seen }
    : { post, seen }

type Wanted = Pick<RunStart, "action" | "jobs" | "owner"> & Partial<Pick<RunStart, "before" | "isOwn">>

const run = async ({ action, before = [], isOwn = watchIdentity(), jobs, owner }: Wanted) => {
  const summary = await startRun({ action, before, isOwn, jobs, owner })
  if (summary === undefined || summary.left.length > 0) return
  const undo = undoOf(action, summary)
  toast(wordsOf(action, summary.done.length).done, {
    tone: "success",
    ...(undo && {
      action: {
        label: "Undo",
        run: () => {
          takeBack({ action: undo, done: summary.done, isOwn, owner })
        }
      }
    })
  })
}

interface Undo extends Pick<RunStart, "action" | "isOwn" | "owner"> {
  readonly done: Summary["done"]
}

/** What the person has made of a moved post since, as long as its time is that of the move. */
const latestOwn = (moved: PostJson): PostJson => {
  const selected = selection.get().posts.get(moved.id)
  return selected !== undefined &&
    selected.seen === selected.post.revision &&
    selected.post.revision >= moved.revision &&
    hasChange(selected.post, { kind: "change", body: { scheduled_at: moved.scheduled_at } })
    ? selected.post
    : moved
}

const takeBack = (undo: Undo) => {
  const { action, done, isOwn, owner } = undo
  if (!isOwn()) return
  if (isRunning(owner)) {
    toast("Another change is still under way. Undo this once it is done.", {
      tone: "error",
      action: {
        label: "Undo",
        run: () => {
          takeBack(undo)
        }
      }
    })
    return
  }
  const posts = done.flatMap(({ after }) => {
    const post = after && latestOwn(after)
    return post === undefined ? [] : [{ post, seen: post.revision }]
  })
  void run({ action, isOwn, jobs: planAction(posts, action, new Date()).jobs, owner })
}

/** What can be done with the selected posts, how far it is, and what became of it. */
export const BulkBar = ({ find, place, selected }: BulkBarProps) => {
  const can = useCan()
  const { owner } = selected
  const latestRun = useStore(bulkRun)
  const current = latestRun?.owner === owner ? latestRun : undefined
  const [asking, setAsking] = useState<Asking>()
  const known = Array.from(selected.posts.values(), (one) => latest(one, find(one.post.id)))
  const posts = known.map(({ post }) => post)
  const elsewhere = posts.filter(({ id }) => find(id) === undefined).length
  const open = countOpen(posts)
  const planOf = (action: BulkAction) => planAction(known, action, new Date())
  const close = () => {
    setAsking(undefined)
  }
  const start = (action: BulkAction) => {
    close()
    if (isRunning(owner)) toast("Another change is still under way. Start this once it is done.", { tone: "error" })
    else void run({ action, jobs: planOf(action).jobs, owner })
  }
  const isEmpty = posts.length === 0
  const isUsed = !isEmpty || selected.isOn
  useShortcut(
    { keys: "Escape", label: "Clear the selection", ...groupNames },
    isUsed && current === undefined ? selected.clear : undefined
  )
  useEffect(() => {
    if (isEmpty) close()
  }, [isEmpty])

  const { summary } = current ?? {}
  const dialogs = {
    move: () => <MoveManyDialog posts={posts} planOf={planOf} onChosen={start} onClose={close} />,
    tag: () => <TagManyDialog posts={posts} planOf={planOf} onChosen={start} onClose={close} />,
    delete: () => {
      const plan = planOf({ kind: "delete" })
      return (
        <AskDialog
          title={`Delete ${nameCount(plan.jobs.length)}?`}
          action="Delete"
          danger
          plan={plan}
          onClose={close}
          onSubmit={() => {
            start({ kind: "delete" })
          }}
        >
          <p>They can’t be brought back. What is scheduled will not go out, and what is out stays on its platforms.</p>
        </AskDialog>
      )
    },
    draft: () => {
      const plan = planOf({ kind: "draft" })
      return (
        <AskDialog
          title={plan.jobs.length === 1 ? "Turn 1 post into a draft?" : `Turn ${plan.jobs.length} posts into drafts?`}
          action="Make drafts"
          plan={plan}
          onClose={close}
          onSubmit={() => {
            start({ kind: "draft" })
          }}
        >
          <p>They keep their times, and don’t go out until they are scheduled again.</p>
        </AskDialog>
      )
    },
    approve: () => {
      const plan = planOf({ kind: "approve" })
      return (
        <AskDialog
          title={`Approve ${nameCount(plan.jobs.length)}?`}
          action="Approve"
          plan={plan}
          onClose={close}
          onSubmit={() => {
            start({ kind: "approve" })
          }}
        >
          <p>They go out at their times, as they were when you selected them.</p>
        </AskDialog>
      )
    }
  }

  return (
    <>
      {(isUsed || current !== undefined) && (
        <div class="bulk" role="region" aria-label="Selected posts">
          {current !== undefined && summary === undefined ? (
            <Progress run={current} />
          ) : (
            <>
              <span class="bulk-count" role="status">
                {isEmpty ? "Select posts" : `${posts.length} selected`}
                {elsewhere > 0 && <span class="secondary">{`, ${elsewhere} not in ${place}`}</span>}
              </span>
              {open.timed > 0 && can("posts:write") && (
                <Button
                  size="small"
                  icon="calendar"
                  onClick={() => {
                    setAsking("move")
                  }}
                >
                  Move
                </Button>
              )}
              {open.changeable > 0 && can("posts:write") && (
                <Button
                  size="small"
                  onClick={() => {
                    setAsking("tag")
                  }}
                >
                  Tags
                </Button>
              )}
              {open.awaiting > 0 && can("posts:publish") && (
                <Button
                  size="small"
                  icon="check"
                  onClick={() => {
                    setAsking("approve")
                  }}
                >
                  {`Approve ${open.awaiting}`}
                </Button>
              )}
              {open.scheduled > 0 && can("posts:write") && (
                <Button
                  size="small"
                  icon="pencil"
                  onClick={() => {
                    setAsking("draft")
                  }}
                >
                  Make drafts
                </Button>
              )}
              {open.deletable > 0 && can("posts:delete") && (
                <Button
                  size="small"
                  icon="trash"
                  onClick={() => {
                    setAsking("delete")
                  }}
                >
                  Delete
                </Button>
              )}
              <IconButton icon="close" label="Clear the selection" onClick={selected.clear} />
            </>
          )}
        </div>
      )}
      {asking !== undefined && dialogs[asking]()}
      {current !== undefined && summary !== undefined && summary.left.length > 0 && (
        <SummaryDialog
          action={current.action}
          summary={summary}
          onClose={dropRun}
          onAgain={() => {
            void run({ action: current.action, before: summary.done, jobs: summary.again, owner })
          }}
          onUndo={() => {
            const undo = undoOf(current.action, summary)
            if (undo !== undefined) takeBack({ action: undo, done: summary.done, isOwn: watchIdentity(), owner })
          }}
        />
      )}
    </>
  )
}
