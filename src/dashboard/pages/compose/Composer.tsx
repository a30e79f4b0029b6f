import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { isLive } from "../../../domain/plain/platforms.ts"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import { approve } from "../../shared/actions/decide.ts"
import { ContinuedPost } from "../../shared/ContinuedPost.tsx"
import { useCan } from "../../shared/me.ts"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { classes } from "../../ui/classes.ts"
import { isConflict } from "../../api/postActions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { AskedBy } from "../approvals/AskedBy.tsx"
import { ComposeBar } from "./ComposeBar.tsx"
import { Cost } from "./Cost.tsx"
import { findMissingFile, wholeForm } from "./composing.ts"
import { Conflict } from "./ConflictDialog.tsx"
import { isEmpty } from "./form.ts"
import { describeRefusal } from "./issues.ts"
import { KeepAsDraft } from "./KeepAsDraft.tsx"
import { OtherTabNote, RestoredNote } from "./KeptText.tsx"
import { partAt, Parts } from "./Parts.tsx"
import { chainOn } from "./parts.ts"
import { Previews } from "./Previews.tsx"
import { PlatformSettings, PostSettings } from "./Settings.tsx"
import { type EditorOptions, type EditorProps, useEditor } from "./useEditor.ts"
import { useLeaveQuestion } from "./useLeaveQuestion.tsx"
import { WaitingBar } from "./WaitingBar.tsx"

/** Accepts dropped files. */
const DropZone = ({ children, editor }: EditorProps & { readonly children: ComponentChildren }) => {
  const { addFiles, parts, post } = editor
  const [isDropping, setDropping] = useState(false)
  const dialog = useLeaveQuestion(editor, post)
  return (
    <div
      class={classes("compose", isDropping && "compose-dropping")}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files") !== true) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setDropping(false)
      }}
      onDrop={(event) => {
        const dropped = event.dataTransfer?.files
        const part = partAt(event.target) ?? parts[0]?.key
        setDropping(false)
        if (dropped === undefined || dropped.length === 0 || part === undefined) return
        event.preventDefault()
        addFiles(dropped, part)
      }}
    >
      {children}
      {dialog}
    </div>
  )
}

const Notices = ({ editor }: EditorProps) => {
  const { compare, finish, isGone, isRestored, issues, parts, platforms, post, problem, startFrom, state } = editor
  const { unsaved } = state
  const numberOf = (platform: string, part: number): number =>
    isLive(platform) ? (chainOn(parts, platform)[part - 1]?.index ?? 0) + 1 : part
  return (
    <>
      {post !== undefined && isAwaitingApproval(post) && (
        <p class="secondary">
          <AskedBy approval={post.approval} created_by={post.created_by} />
        </p>
      )}
      {post !== undefined && post.reply_to !== null && (
        <p class="compose-continues secondary">
          Continues the thread of <ContinuedPost id={post.reply_to} />
        </p>
      )}
      {!isNew(editor) && editor.hasOther && <OtherTabNote />}
      {isRestored && !isEmpty(state.form) && <RestoredNote isNew={isNew(editor)} onUndo={() => startFrom(undefined)} />}
      {isGone && (
        <FormError>
          <div class="compose-gone">
            <p>The post has been deleted, so this can’t be saved over it.</p>
            <KeepAsDraft
              form={{ ...wholeForm(state), platforms }}
              onKept={finish}
              findProblem={() => findMissingFile(state)}
            />
          </div>
        </FormError>
      )}
      {!isGone && unsaved !== undefined && isConflict(unsaved) && (
        <FormError>
          <div class="compose-gone">
            <p>Somebody else changed this draft meanwhile. What you typed is here, and is saved once you decide.</p>
            <Button size="small" onClick={() => void compare()}>
              Compare the two
            </Button>
          </div>
        </FormError>
      )}
      {!isGone && problem !== undefined && <FormError>{describeRefusal(problem, numberOf)}</FormError>}
      {issues.other.length > 0 && <FormError>{issues.other.join(" ")}</FormError>}
    </>
  )
}

/** Also true once the page has saved the new post by itself. */
const isNew = ({ post, state }: EditorProps["editor"]): boolean => post === undefined || state.form.id !== undefined

export const Composer = (props: EditorOptions) => {
  const editor = useEditor(props)
  const { isGone, post, readOnly, save } = editor
  const can = useCan()
  const waiting = post !== undefined && isAwaitingApproval(post) && can(approve.scope) ? post : undefined
  useShortcut(
    {
      keys: "Control+Enter",
      label: post?.status === "scheduled" ? "Save" : "Schedule",
      group: "Compose",
      whileTyping: true
    },
    waiting === undefined
      ? () => {
          if (!readOnly && !isGone) void save("schedule")
        }
      : undefined
  )
  return (
    <DropZone editor={editor}>
      <div class="compose-page">
        <div class="compose-form">
          <PageHeader title={isNew(editor) ? "New post" : "Edit post"} />
          <Notices editor={editor} />
          <PlatformSettings editor={editor} />
          <Parts editor={editor} />
          <Cost editor={editor} />
          <PostSettings editor={editor} />
        </div>
        <Previews editor={editor} />
      </div>
      {waiting === undefined ? <ComposeBar editor={editor} /> : <WaitingBar editor={editor} post={waiting} />}
      <Conflict editor={editor} />
    </DropZone>
  )
}
