import { useUnsaved } from "../../shared/drafts/unsaved.ts"
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

/** Warns of the same post's changes in another tab, which this one can't see. */
export const OtherTabNote = () => (
  <p class="compose-restored secondary small">
    You changed this post in another tab too, and saved neither. Once you save one, the other is compared with it.
  </p>
)

/** The texts that were not saved, one for each tab, until the person discards them. */
export const KeptText = ({ id }: { readonly id: string }) => {
  const { keysOf } = useUnsaved()
  return keysOf(id)
    .filter((key) => key.startsWith("post:"))
    .map((key) => <KeptTextOf key={key} draftKey={key} />)
}

const KeptTextOf = ({ draftKey }: { readonly draftKey: string }) => {
  const draft = useDraft(draftKey, emptyForm(null), { restore: restoreForm })
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
