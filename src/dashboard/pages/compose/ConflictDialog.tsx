import type { PostJson } from "../../api/posts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { TextDiff } from "../../ui/diff/TextDiff.tsx"
import { livePlatforms, platformNames } from "../../../domain/plain/platforms.ts"
import { Time } from "../../ui/time/Time.tsx"
import { type ComposeForm, formOf } from "./form.ts"

export interface ConflictDialogProps {
  readonly mine: ComposeForm
  readonly theirs: PostJson
  readonly onKeepMine: () => void
  readonly onTakeTheirs: (theirs: PostJson) => void
  readonly onClose: () => void
}

const Version = ({ form, name }: { readonly form: ComposeForm; readonly name: string }) => (
  <section class="compose-version" aria-label={name}>
    <h3>{name}</h3>
    <p class="text-diff">{form.content}</p>
    {livePlatforms.map((platform) => {
      const own = form.overrides[platform]
      return (
        own !== undefined && (
          <div key={platform}>
            <h3>On {platformNames[platform]}</h3>
            <p class="text-diff">{own}</p>
          </div>
        )
      )
    })}
    <p class="secondary small">
      {form.at === null ? "No time" : <Time at={form.at} as="exact" />}
      {form.media.length > 0 && ` · ${form.media.length} ${form.media.length === 1 ? "file" : "files"}`}
      {form.tags.length > 0 && ` · ${form.tags.join(", ")}`}
    </p>
  </section>
)

/** Somebody else changed the post while it was being changed here: both versions, to decide between them. */
export const ConflictDialog = ({ mine, onClose, onKeepMine, onTakeTheirs, theirs }: ConflictDialogProps) => {
  const canChange = theirs.status === "draft" || theirs.status === "scheduled"
  return (
    <Dialog
      title="This post was changed meanwhile"
      size="large"
      onClose={onClose}
      footer={
        <>
          <Button
            onClick={() => {
              onTakeTheirs(theirs)
            }}
          >
            {canChange ? "Take theirs" : "See the post"}
          </Button>
          {canChange && (
            <Button kind="primary" onClick={onKeepMine}>
              Keep mine
            </Button>
          )}
        </>
      }
    >
      <p class="compose-conflict secondary">
        {canChange
          ? "Nothing is lost: what you wrote is still here. Keep yours and save it over the other version, or drop it."
          : "It can’t be changed any more: it is out, or on its way."}
      </p>
      <div class="compose-versions">
        <Version name="Yours" form={mine} />
        <Version name="Saved by somebody else" form={formOf(theirs)} />
      </div>
      {theirs.content !== mine.content && (
        <section class="compose-version" aria-label="From theirs to yours">
          <h3>From theirs to yours</h3>
          <TextDiff before={theirs.content} after={mine.content} />
        </section>
      )}
    </Dialog>
  )
}
