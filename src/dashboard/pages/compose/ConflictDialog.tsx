import { useEffect } from "preact/hooks"
import { formatEtag } from "../../../domain/plain/posts.ts"
import { lastEntry } from "../../api/history.ts"
import { useQuery } from "../../api/query.ts"
import type { PostJson } from "../../api/posts.ts"
import { isOpen } from "../../api/postStatus.ts"
import { navigate } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { TextDiff } from "../../ui/diff/TextDiff.tsx"
import { livePlatforms, namePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import { Time } from "../../ui/time/Time.tsx"
import { type ComposeForm, formOf } from "./form.ts"
import { partsOf } from "./parts.ts"
import type { EditorProps } from "./useEditor.ts"

const Version = ({ form, name }: { readonly form: ComposeForm; readonly name: string }) => {
  const parts = partsOf(form)
  const files = parts.reduce((sum, { media }) => sum + media.length, 0)
  return (
    <section class="compose-version" aria-label={name}>
      <h3>{name}</h3>
      {parts.map(({ content, key, overrides, platforms }, index) => (
        <div key={key}>
          {parts.length > 1 && (
            <h3>
              Part {index + 1}
              {platforms !== null && `, only on ${namePlatforms(platforms)}`}
            </h3>
          )}
          <p class="text-diff" dir="auto">
            {content}
          </p>
          {livePlatforms.map((platform) => {
            const own = overrides[platform]
            return (
              own !== undefined && (
                <div key={platform}>
                  <h3>On {platformName(platform)}</h3>
                  <p class="text-diff" dir="auto">
                    {own}
                  </p>
                </div>
              )
            )
          })}
        </div>
      ))}
      <p class="secondary small">
        {form.at === null ? "No time" : <Time at={form.at} as="exact" />}
        {files > 0 && ` · ${files} ${files === 1 ? "file" : "files"}`}
        {form.tags.length > 0 && ` · ${form.tags.join(", ")}`}
      </p>
    </section>
  )
}

const textOfAll = (form: ComposeForm): string =>
  partsOf(form)
    .map(({ content }) => content)
    .join("\n\n")

const ConflictDialog = ({ editor, theirs }: EditorProps & { readonly theirs: PostJson }) => {
  const { dispatch, startFrom, state } = editor
  const canChange = isOpen(theirs)
  const { data } = useQuery(lastEntry(theirs.id))
  const who = data?.data[0]?.by?.name ?? "somebody else"
  const before = textOfAll(formOf(theirs))
  const after = textOfAll(state.form)
  const keepMine = () => {
    dispatch({ type: "keepMine" })
    toast("Kept yours. Save it when you are done.")
  }
  const takeTheirs = () => {
    startFrom(canChange ? formOf(theirs) : undefined)
    if (!canChange) navigate(`/posts/${encodeURIComponent(theirs.id)}`)
  }
  return (
    <Dialog
      title="This post has changed since you opened it"
      size="large"
      onClose={() => dispatch({ type: "showTheirs", theirs: undefined })}
      footer={
        <>
          <Button onClick={takeTheirs}>{canChange ? "Take theirs" : "See the post"}</Button>
          {canChange && (
            <Button kind="primary" onClick={keepMine}>
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
        <Version name="Yours" form={state.form} />
        <Version name={`Saved by ${who}`} form={formOf(theirs)} />
      </div>
      {before !== after && (
        <section class="compose-version" aria-label="From theirs to yours">
          <h3>From theirs to yours</h3>
          <TextDiff before={before} after={after} />
        </section>
      )}
    </Dialog>
  )
}

/** False for a version that is older than the one that was read, whose response was late. */
const isOtherVersion = (post: PostJson, base: string): boolean =>
  formatEtag(post) !== base && post.revision >= Number.parseInt(base.slice(1), 10)

/** Opens if another version of the post is loaded, or if a save is refused because of one. */
export const Conflict = ({ editor }: EditorProps) => {
  const { dispatch, post, state } = editor
  const { autosaving, form, theirs } = state
  const isStale =
    post !== undefined && autosaving === undefined && form.base !== null && isOtherVersion(post, form.base)
  useEffect(() => {
    if (isStale) dispatch({ type: "showTheirs", theirs: post })
  }, [isStale])
  return theirs !== undefined && <ConflictDialog editor={editor} theirs={theirs} />
}
