import { useDraft } from "../../shared/drafts/useDraft.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Field, TextArea } from "../../ui/controls/Field.tsx"
import { type ComposeForm, isEmpty, emptyForm, restoreForm } from "./form.ts"
import { KeepAsDraft } from "./KeepAsDraft.tsx"
import { partsOf } from "./parts.ts"

const textsOf = (form: ComposeForm): string =>
  partsOf(form)
    .flatMap(({ content, overrides }) => [content, ...Object.values(overrides)])
    .filter((text) => text !== "")
    .join("\n\n")

export const RestoredNote = ({ isNew, onUndo }: { readonly isNew: boolean; readonly onUndo: () => void }) => (
  <p class="compose-restored secondary small">
    <span>What you typed before is back.</span>
    <Button size="small" kind="quiet" onClick={onUndo}>
      {isNew ? "Start over" : "Undo my changes"}
    </Button>
  </p>
)

/** Text that was not saved, until the person discards it. */
export const KeptText = ({ id }: { readonly id: string }) => {
  const draft = useDraft(`post:${id}`, emptyForm(null), { restore: restoreForm })
  if (!draft.isRestored || isEmpty(draft.value)) return null
  return (
    <div class="compose-kept">
      <Field
        label="What you typed for it"
        hint="It was not saved. Save it as a new draft, or copy what you still need."
      >
        {(control) => <TextArea {...control} rows={6} readOnly value={textsOf(draft.value)} />}
      </Field>
      <div class="compose-sent-steps">
        <KeepAsDraft form={draft.value} onKept={draft.clear} />
        <Button size="small" kind="quiet" onClick={draft.clear}>
          Drop it
        </Button>
      </div>
    </div>
  )
}
