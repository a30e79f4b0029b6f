import { useEffect, useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { MediaJson } from "../../api/media.ts"
import { isLive } from "../../../domain/plain/platforms.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { PostJson } from "../../api/posts.ts"
import { isOpen } from "../../api/postStatus.ts"
import type { Accounts } from "../../shared/accounts/useAccounts.ts"
import { ContinuedPost } from "../../shared/ContinuedPost.tsx"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { useCan } from "../../shared/me.ts"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { cameFrom, navigate, useLeaveGuard } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { classes } from "../../ui/classes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Field, Select } from "../../ui/controls/Field.tsx"
import { FieldErrors, FormError } from "../../ui/controls/FormError.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { ComposeBar } from "./ComposeBar.tsx"
import { ConflictDialog } from "./ConflictDialog.tsx"
import { afterSave } from "./afterSave.ts"
import { canChangePlatforms, type ComposeForm, formOf, isEmpty, toNewPost, withTag } from "./form.ts"
import { describeRefusal, sortIssues } from "./issues.ts"
import { partAt, Parts } from "./Parts.tsx"
import { chainOn, changePart, partsOf } from "./parts.ts"
import { KeepAsDraft } from "./KeepAsDraft.tsx"
import { PlatformChips } from "./PlatformChips.tsx"
import { Previews } from "./Previews.tsx"
import { isReplies, replies } from "./replies.ts"
import { TagsInput } from "./TagsInput.tsx"
import { useSave } from "./useSave.ts"
import { useUploads } from "./useUploads.ts"
import { useValidation } from "./validation.ts"

export interface ComposerProps {
  readonly draft: Draft<ComposeForm>
  readonly accounts: Accounts
  /** Undefined for a new post. */
  readonly post: PostJson | undefined
  readonly isGone?: boolean
}

export const Composer = ({ accounts, draft, isGone = false, post }: ComposerProps) => {
  const can = useCan()
  const form = draft.value
  const change = (part: Partial<ComposeForm>) => {
    draft.change((current) => ({ ...current, ...part }))
  }
  const [isAsked, setAsked] = useState(false)
  const [isDropping, setDropping] = useState(false)
  const [tagText, setTagText] = useState("")

  const connected = accounts.all?.map(({ platform }) => platform) ?? []
  const platforms: ReadonlyArray<LivePlatform> = form.platforms ?? connected.toReversed()
  const parts = partsOf(form)
  const numberOf = (platform: string, part: number): number =>
    isLive(platform) ? (chainOn(parts, platform)[part - 1]?.index ?? 0) + 1 : part
  const files = parts.flatMap(({ media }) => media)

  const uploads = useUploads((file: MediaJson, part) => {
    const { alt, height, id, type, width } = file
    draft.change((current) =>
      changePart(current, part, ({ media }) => ({ media: [...media, { alt, height, id, type, width }] }))
    )
  })
  const isUploading = uploads.running.some(({ error }) => error === undefined)
  const { confirm, dialog } = useConfirm()
  useLeaveGuard(isUploading, async ({ pathname, searchParams }) => {
    const staysHere = pathname === "/compose" && searchParams.get("post") === (post?.id ?? null)
    return (
      staysHere ||
      (await confirm({
        title: "Leave while a file is being uploaded?",
        text: "The upload stops, and the post won’t have the file. What you typed is kept.",
        action: "Leave"
      }))
    )
  })
  const whole = { ...form, tags: withTag(form.tags, tagText) }
  const result = useValidation(
    toNewPost(whole, platforms, { status: "scheduled", at: form.at }),
    files.map(({ problem, type }) => `${type} ${problem}`).join()
  )
  const save = useSave({
    form: whole,
    platforms,
    post,
    rebase: (base) => {
      change({ base })
    },
    keepAttempt: (attempt) => {
      change({ attempt })
    },
    onSaved: (id, words, isShown) => {
      draft.clear()
      const saved = `/posts/${encodeURIComponent(id)}`
      const next = afterSave(saved, cameFrom())
      const see = () => {
        navigate(saved)
      }
      toast(words, { tone: "success", ...(next !== saved && { action: { label: "See it", run: see } }) })
      if (isShown) navigate(next, { force: true })
    }
  })
  const issues = sortIssues([...(result?.errors ?? []), ...save.issues], isAsked)

  /** The reason why a file would be missing; undefined if none would. */
  const findMissingFile = (): string | undefined => {
    if (isUploading) return "A file is still being uploaded. Try again when the upload is done."
    return uploads.running.length > 0 ? "A file could not be uploaded. Try it again, or remove it." : undefined
  }
  const run = (kind: "draft" | "schedule" | "now") => {
    setAsked(true)
    const missing = findMissingFile()
    if (missing !== undefined) {
      toast(missing, { tone: "error" })
      return
    }
    if (kind !== "draft" && files.some(({ problem, type }) => type === null && problem === undefined)) {
      toast("A file is still being processed. Try again in a few seconds.", { tone: "error" })
      return
    }
    void save.run(kind)
  }
  const isStale = post !== undefined && form.base !== null && form.base !== formatEtag(post)
  useEffect(() => {
    if (isStale) save.showConflict(post)
  }, [isStale])
  useShortcut(
    {
      keys: "Control+Enter",
      label: post?.status === "scheduled" ? "Save" : "Schedule",
      group: "Compose",
      whileTyping: true
    },
    () => {
      if (!save.isPending && !isGone) run("schedule")
    }
  )

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
        uploads.add(dropped, part)
      }}
    >
      <div class="compose-page">
        <div class="compose-form">
          <PageHeader title={post === undefined ? "New post" : "Edit post"} />
          {post !== undefined && post.reply_to !== null && (
            <p class="compose-continues secondary">
              Continues the thread of <ContinuedPost id={post.reply_to} />
            </p>
          )}
          {draft.isRestored && !isEmpty(form) && (
            <p class="compose-restored small">
              <span>What you typed before is back.</span>
              <Button size="small" kind="quiet" onClick={draft.clear}>
                {post === undefined ? "Start over" : "Undo my changes"}
              </Button>
            </p>
          )}
          {isGone && (
            <FormError>
              <div class="compose-gone">
                <p>The post has been deleted, so this can’t be saved over it.</p>
                <KeepAsDraft form={{ ...whole, platforms }} onKept={draft.clear} findProblem={findMissingFile} />
              </div>
            </FormError>
          )}
          {!isGone && save.failure !== undefined && <FormError>{describeRefusal(save.failure, numberOf)}</FormError>}
          {issues.other.length > 0 && <FormError>{issues.other.join(" ")}</FormError>}
          {(accounts.all?.length ?? 0) > 0 && (post === undefined || canChangePlatforms(post)) && (
            <PlatformChips
              accounts={accounts}
              choices={[...new Set([...connected.toReversed(), ...platforms])]}
              platforms={platforms}
              onPlatforms={(chosen) => {
                change({ platforms: chosen })
              }}
            />
          )}
          {platforms.length === 0 ? (
            <p class="field-note">Choose at least one platform.</p>
          ) : (
            <FieldErrors errors={issues.platforms} />
          )}
          <Parts
            form={form}
            change={draft.change}
            platforms={platforms}
            result={result}
            issues={issues}
            uploads={uploads}
            readOnly={save.isPending}
          />
          <div class="compose-details">
            {platforms.includes(replies.platform) && (post === undefined || post.reply_to === null) && (
              <Field label={replies.label}>
                {(control) => (
                  <Select
                    {...control}
                    value={form.replies ?? replies.default}
                    onValue={(value) => {
                      change({ replies: isReplies(value) && value !== replies.default ? value : null })
                    }}
                  >
                    {Object.entries(replies.choices).map(([value, label]) => (
                      <option key={value} value={value}>
                        {label}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
            <TagsInput
              tags={form.tags}
              onTags={(tags) => {
                change({ tags })
              }}
              text={tagText}
              onText={setTagText}
              error={issues.tags}
              readOnly={save.isPending}
            />
          </div>
        </div>
        <Previews form={form} platforms={platforms} accounts={accounts} pictures={uploads.previews} />
      </div>
      <ComposeBar
        form={form}
        isScheduled={post?.status === "scheduled"}
        timeError={issues.time}
        pending={save.pending}
        canSave={platforms.length > 0 && !isGone}
        canPublish={can("posts:publish")}
        isAskingTime={save.isAskingTime}
        onAskTime={save.askTime}
        onTime={(at) => {
          change({ at })
        }}
        onRun={run}
      />
      {save.theirs !== undefined && (
        <ConflictDialog
          mine={form}
          theirs={save.theirs}
          onKeepMine={() => {
            save.keepMine()
          }}
          onTakeTheirs={(theirs) => {
            save.dismissConflict()
            if (isOpen(theirs)) draft.startFrom(formOf(theirs))
            else {
              draft.clear()
              navigate(`/posts/${encodeURIComponent(theirs.id)}`)
            }
          }}
          onClose={save.dismissConflict}
        />
      )}
      {dialog}
    </div>
  )
}
