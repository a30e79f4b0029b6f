import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { firstWords, type PostJson } from "../../api/posts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { FormDialog, type FormDialogProps } from "../../ui/dialogs/FormDialog.tsx"
import { parseClock } from "../../ui/time/clockInput.ts"
import { ClockInput } from "../../ui/time/ClockInput.tsx"
import { clockExample } from "../../ui/time/time.ts"
import { shownZone } from "../../ui/time/zone.ts"
import { Link } from "../router.tsx"
import { type ManyChoice, nameCount } from "../actions/action.ts"
import { addTag, moveByDays, moveToClock, removeTag, tagsOf } from "../actions/manyActions.ts"
import { describeTags, tagsIn } from "../savableTags.ts"
import type { BulkPlan } from "./plan.ts"
import { type Group, groupByReason, type Summary, undoOf } from "./summary.ts"

const maxNamed = 5

const Groups = ({ groups }: { readonly groups: ReadonlyArray<Group> }) => (
  <ul class="bulk-groups">
    {groups.map(({ posts, why }) => (
      <li key={why}>
        <p>
          <strong class="numbers">{nameCount(posts.length)}</strong>
          <br />
          {why}
        </p>
        <ul>
          {posts.slice(0, maxNamed).map((post) => (
            <li key={post.id} class="truncate" lang="und">
              <Link href={`/posts/${encodeURIComponent(post.id)}`}>
                <bdi>{firstWords(post)}</bdi>
              </Link>
            </li>
          ))}
          {posts.length > maxNamed && <li class="secondary">and {posts.length - maxNamed} more</li>}
        </ul>
      </li>
    ))}
  </ul>
)

export interface AskProps extends Pick<FormDialogProps, "action" | "danger" | "onClose" | "onSubmit" | "title"> {
  /** Undefined while the form is incomplete. */
  readonly plan: BulkPlan | undefined
  readonly children?: ComponentChildren
}

export const AskDialog = ({ children, plan, ...dialog }: AskProps) => (
  <FormDialog {...dialog} disabled={plan === undefined || plan.jobs.length === 0}>
    {children}
    {plan !== undefined && plan.skipped.length > 0 && (
      <section class="bulk-left">
        <h3>Left as they are</h3>
        <Groups groups={groupByReason(plan.skipped)} />
      </section>
    )}
  </FormDialog>
)

export interface FormProps {
  readonly posts: ReadonlyArray<PostJson>
  readonly planOf: (choice: ManyChoice) => BulkPlan
  readonly onChosen: (choice: ManyChoice) => void
  readonly onClose: () => void
}

const moveTabs = [
  { id: "days", label: "By days" },
  { id: "clock", label: "To a time of day" }
] as const

const quickDays = [
  { days: 1, label: "1 day later" },
  { days: 7, label: "1 week later" },
  { days: -1, label: "1 day earlier" }
] as const

const maxDays = 180

const daysIn = (text: string): ManyChoice | undefined => {
  const days = /^[+-]?\d{1,3}$/.test(text.trim()) ? Number(text) : 0
  return days === 0 || Math.abs(days) > maxDays ? undefined : moveByDays(days)
}

const clockIn = (text: string): ManyChoice | undefined => {
  const time = parseClock(text)
  return time && moveToClock(time.hour, time.minute)
}

export const MoveManyDialog = ({ onChosen, onClose, planOf, posts }: FormProps) => {
  const [by, setBy] = useState<"clock" | "days">("days")
  const [days, setDays] = useState("1")
  const [clock, setClock] = useState("")
  const choice = by === "days" ? daysIn(days) : clockIn(clock)
  const plan = choice && planOf(choice)
  const count = plan?.jobs.length ?? posts.length
  return (
    <AskDialog
      title="Move many posts"
      action={`Move ${nameCount(count)}`}
      plan={plan}
      onClose={onClose}
      onSubmit={() => {
        if (choice !== undefined && count > 0) onChosen(choice)
      }}
    >
      <Tabs label="How" tabs={moveTabs} selected={by} onSelect={setBy} />
      {by === "days" ? (
        <>
          <TextField
            label="Days"
            hint="Posts keep their time of day, even across daylight saving changes. A minus moves them earlier."
            error={
              choice === undefined && days !== "" && days !== "-"
                ? `A number from -${maxDays} to ${maxDays}, not 0`
                : undefined
            }
            inputmode="numeric"
            autofocus
            value={days}
            maxLength={4}
            onValue={setDays}
          />
          <div class="time-quick" role="group" aria-label="Quick choices">
            {quickDays.map(({ days: each, label }) => (
              <Chip key={label} pressed={days === String(each)} onClick={() => setDays(String(each))}>
                {label}
              </Chip>
            ))}
          </div>
        </>
      ) : (
        <Field
          label="Time"
          hint={`Each stays on its day. In ${shownZone()}.`}
          error={choice === undefined && clock !== "" ? `A time such as ${clockExample()}` : undefined}
        >
          {(control) => <ClockInput {...control} value={clock} onValue={setClock} />}
        </Field>
      )}
    </AskDialog>
  )
}

export const TagManyDialog = ({ onChosen, onClose, planOf, posts }: FormProps) => {
  const [text, setText] = useState("")
  const [tag = ""] = tagsIn(text)
  const problem = tagsIn(text).length > 1 ? "Add one tag at a time." : tag === "" ? undefined : describeTags([], tag)
  const plan = tag === "" || problem !== undefined ? undefined : planOf(addTag(tag))
  return (
    <AskDialog
      title="Tag many posts"
      action="Add the tag"
      plan={plan}
      onClose={onClose}
      onSubmit={() => {
        if (plan !== undefined) onChosen(addTag(tag))
      }}
    >
      <TextField
        label="A tag to add"
        hint="Tags are for you. They are never published."
        autofocus
        value={text}
        error={problem}
        onValue={setText}
      />
      {tagsOf(posts).length > 0 && (
        <section class="bulk-left">
          <h3>Take one away</h3>
          <div class="time-quick">
            {tagsOf(posts).map(([each, count]) => (
              <Chip key={each} icon="close" onClick={() => onChosen(removeTag(each))}>
                #{each} ({count})
              </Chip>
            ))}
          </div>
        </section>
      )}
    </AskDialog>
  )
}

export interface SummaryDialogProps {
  readonly choice: ManyChoice
  readonly summary: Summary
  readonly onAgain: () => void
  readonly onUndo: () => void
  readonly onClose: () => void
}

export const SummaryDialog = ({ choice, onAgain, onClose, onUndo, summary }: SummaryDialogProps) => {
  const { again, done, left } = summary
  return (
    <Dialog
      title={done.length === 0 ? "Nothing was changed" : choice.done(nameCount(done.length))}
      onClose={onClose}
      footer={
        <>
          {undoOf(choice, summary) !== undefined && (
            <Button kind="quiet" onClick={onUndo}>
              Undo
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
          {again.length > 0 && (
            <Button kind="primary" onClick={onAgain}>
              {`Try again with ${again.length}`}
            </Button>
          )}
        </>
      }
    >
      <Groups groups={left} />
    </Dialog>
  )
}
