import { useEffect } from "preact/hooks"
import { describeWait } from "../../api/errors.ts"
import { watchIdentity } from "../../api/identity.ts"
import type { PostJson } from "../../api/posts.ts"
import { useStore } from "../../store/useStore.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { pausedUntil } from "../../api/pause.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { useCountdown } from "../../ui/time/useCountdown.ts"
import { useOpen } from "../../ui/useOpen.ts"
import { useCan } from "../me.ts"
import { useShortcut } from "../shortcuts.ts"
import { type Action, type AskedAction, type Known, type ManyChoice, nameCount } from "../actions/action.ts"
import { manyActions, moveMany } from "../actions/manyActions.ts"
import { hasChange } from "./afterRepetition.ts"
import { AskDialog, type FormProps, MoveManyDialog, SummaryDialog, TagManyDialog } from "./BulkDialogs.tsx"
import { isRunning, type RunStart, startRun } from "./bulkRun.ts"
import { type BulkRun, bulkRun, dropRun } from "./currentRun.ts"
import { planChoice } from "./plan.ts"
import { selection } from "./selection.ts"
import { type Summary, undoOf } from "./summary.ts"
import type { SelectionState } from "./useSelection.ts"

export interface BulkBarProps {
  readonly selected: SelectionState
  /** The current version of a post, if the page has loaded it. */
  readonly find: (id: string) => PostJson | undefined
  /** Such as "this list". */
  readonly place: string
}

const Wait = () => {
  const until = useStore(pausedUntil)
  const wait = useCountdown(until ?? undefined)
  if (until === null) return null
  return <span class="numbers secondary">Too many requests: continues in {describeWait(Math.max(1, wait))}</span>
}

const Progress = ({ run }: { readonly run: BulkRun }) => (
  <>
    <span class="bulk-count">{run.choice.doing(nameCount(run.total))}</span>
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

/** Takes the page's version if it is newer, but the person has still read the earlier one. */
const latest = ({ post, seen }: Known, shown: PostJson | undefined): Known =>
  shown !== undefined &&
  (shown.revision > post.revision || (shown.revision === post.revision && shown.status !== post.status))
    ? { post: shown, seen }
    : { post, seen }

type Wanted = Pick<RunStart, "choice" | "jobs" | "owner"> & Partial<Pick<RunStart, "before" | "isOwn">>

const run = async ({ before = [], choice, isOwn = watchIdentity(), jobs, owner }: Wanted) => {
  const summary = await startRun({ before, choice, isOwn, jobs, owner })
  if (summary === undefined || summary.left.length > 0) return
  const undo = undoOf(choice, summary)
  toast(choice.done(nameCount(summary.done.length)), {
    tone: "success",
    ...(undo && {
      action: {
        label: "Undo",
        run: () => takeBack({ choice: undo, done: summary.done, isOwn, owner })
      }
    })
  })
}

interface Undo extends Pick<RunStart, "choice" | "isOwn" | "owner"> {
  readonly done: Summary["done"]
}

/**
 * The newer, selected version of a moved post, if only this person has changed it since and it still has the time of
 * the move.
 */
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
  const { choice, done, isOwn, owner } = undo
  if (!isOwn()) return
  if (isRunning(owner)) {
    toast("Another change is still under way. Undo this once it is done.", {
      tone: "error",
      action: {
        label: "Undo",
        run: () => takeBack(undo)
      }
    })
    return
  }
  const posts = done.flatMap(({ after }) => {
    const post = after && latestOwn(after)
    return post === undefined ? [] : [{ post, seen: post.revision }]
  })
  void run({ choice, isOwn, jobs: planChoice(posts, choice, new Date()).jobs, owner })
}

const Ask = ({ action, onChosen, onClose, planOf }: FormProps & { readonly action: AskedAction }) => {
  const plan = planOf(action)
  const { text, ...question } = action.askMany(nameCount(plan.jobs.length))
  return (
    <AskDialog {...question} plan={plan} onClose={onClose} onSubmit={() => onChosen(action)}>
      <p>{text}</p>
    </AskDialog>
  )
}

const useBulk = ({ find, selected: { owner, posts: chosen } }: BulkBarProps) => {
  const latestRun = useStore(bulkRun)
  const known = Array.from(chosen.values(), (one) => latest(one, find(one.post.id)))
  const posts = known.map(({ post }) => post)
  const planOf = (choice: ManyChoice) => planChoice(known, choice, new Date())
  return {
    current: latestRun?.owner === owner ? latestRun : undefined,
    posts,
    elsewhere: posts.filter(({ id }) => find(id) === undefined).length,
    planOf,
    start: (choice: ManyChoice) => {
      if (isRunning(owner)) toast("Another change is still under way. Start this once it is done.", { tone: "error" })
      else void run({ choice, jobs: planOf(choice).jobs, owner })
    }
  }
}

interface OfferedProps {
  readonly posts: ReadonlyArray<PostJson>
  readonly onAsk: (action: Action | AskedAction) => void
}

const Offered = ({ onAsk, posts }: OfferedProps) => {
  const can = useCan()
  const now = new Date()
  const offered = manyActions
    .filter(({ scope }) => can(scope))
    .map((action) => ({ action, count: posts.filter((post) => action.fits(post, now)).length }))
    .filter(({ count }) => count > 0)
  return (
    <>
      {offered.map(({ action, count }) => (
        <Button key={action.label} size="small" icon={action.icon} onClick={() => onAsk(action)}>
          {("labelMany" in action && action.labelMany?.(count)) || action.label}
        </Button>
      ))}
    </>
  )
}

const Result = ({ run: { choice, owner, summary } }: { readonly run: BulkRun }) => {
  if (summary === undefined || summary.left.length === 0) return null
  return (
    <SummaryDialog
      choice={choice}
      summary={summary}
      onClose={dropRun}
      onAgain={() => void run({ choice, before: summary.done, jobs: summary.again, owner })}
      onUndo={() => {
        const undo = undoOf(choice, summary)
        if (undo !== undefined) takeBack({ choice: undo, done: summary.done, isOwn: watchIdentity(), owner })
      }}
    />
  )
}

export const BulkBar = (props: BulkBarProps) => {
  const { place, selected } = props
  const { current, elsewhere, planOf, posts, start } = useBulk(props)
  const asking = useOpen<Action | AskedAction>()
  const action = asking.opened
  const isEmpty = posts.length === 0
  const isUsed = !isEmpty || selected.isOn
  useShortcut(
    { keys: "Escape", label: "Clear the selection", group: "Selected posts" },
    isUsed && current === undefined ? selected.clear : undefined
  )
  useEffect(() => {
    if (isEmpty) asking.close()
  }, [isEmpty])

  const onChosen = (choice: ManyChoice) => {
    asking.close()
    start(choice)
  }
  const form = { planOf, onChosen, onClose: asking.close, posts }
  return (
    <>
      {(isUsed || current !== undefined) && (
        <div class="bulk" role="region" aria-label="Selected posts">
          {current !== undefined && current.summary === undefined ? (
            <Progress run={current} />
          ) : (
            <>
              <span class="bulk-count" role="status">
                {isEmpty ? "Select posts" : `${posts.length} selected`}
                {elsewhere > 0 && <span class="secondary">{`, ${elsewhere} not in ${place}`}</span>}
              </span>
              <Offered posts={posts} onAsk={asking.open} />
              <IconButton icon="close" label="Clear the selection" onClick={selected.clear} />
            </>
          )}
        </div>
      )}
      {action !== undefined &&
        ("askMany" in action ? (
          <Ask {...form} action={action} />
        ) : action === moveMany ? (
          <MoveManyDialog {...form} />
        ) : (
          <TagManyDialog {...form} />
        ))}
      {current !== undefined && <Result run={current} />}
    </>
  )
}
