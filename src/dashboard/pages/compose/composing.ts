import { formatEtag } from "../../../domain/plain/posts.ts"
import { type Failure, hasCode, withPeriod } from "../../api/errors.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { type Composing, type Focus, type SaveKind, savesDraft, type Session, type Upload } from "./composingState.ts"
import { type Attempted, type ComposeForm, toAttempted } from "./form.ts"
import { addTags, describeTags } from "../../shared/savableTags.ts"
import {
  canMove,
  canRemove,
  changePart,
  type ComposeMedium,
  type ComposePart,
  type EditorTab,
  emptyPart,
  isBlankPart,
  maxParts,
  partsOf,
  splitPart,
  type SplitText,
  withParts
} from "./parts.ts"

interface Actions {
  form: { change: Partial<ComposeForm> }
  typeTag: { text: string }
  endTag: object
  askTime: { isAsked: boolean }
  restarted: object
  tab: { tab: EditorTab }
  write: { key: string; tab: EditorTab; text: string }
  part: { key: string; change: (part: ComposePart) => Partial<ComposePart> }
  /** Without `after`, adds the part at the end. */
  add: { after: string | undefined; key: string }
  move: { key: string; by: -1 | 1 }
  remove: { key: string }
  putBack: { part: ComposePart; index: number }
  askSplit: { key: string | undefined }
  split: SplitText
  upload: { upload: Upload }
  uploading: { key: string; change: Partial<Upload> }
  uploaded: { key: string; file: ComposeMedium }
  cancelUpload: { key: string }
  save: { kind: SaveKind; now: string; key: string }
  stopWaiting: object
  autosave: { platforms: ReadonlyArray<LivePlatform>; now: Date; key: string }
  autosaved: { form: Attempted; id: string; base: string }
  notAutosaved: { error: Failure; isSettled: boolean }
  saved: object
  refused: { error: Failure; isSettled: boolean }
  reread: object
  /** `theirs` is undefined if the current version could not be loaded. */
  conflict: { error: Failure; theirs: PostJson | undefined }
  showTheirs: { theirs: PostJson | undefined }
  keepMine: object
}

type ActionOf<Type extends keyof Actions> = { [T in Type]: Readonly<{ type: T } & Actions[T]> }[Type]

export type Action = ActionOf<keyof Actions>

export const wholeForm = ({ form, tagText }: Composing): ComposeForm => ({
  ...form,
  tags: addTags(form.tags, tagText).tags
})

export const findMissingFile = ({ uploads }: Pick<Session, "uploads">): string | undefined => {
  if (uploads.some(({ error }) => error === undefined)) {
    return "A file is still being uploaded. Try again when the upload is done."
  }
  return uploads.length > 0 ? "A file could not be uploaded. Try it again, or remove it." : undefined
}

const filesOf = ({ form }: Composing) => partsOf(form).flatMap(({ media }) => media)

/** The reason why a save can't be sent even after a wait. */
export const findObstacle = (state: Composing, kind: SaveKind): string | undefined => {
  const ofTags = describeTags(state.form.tags, state.tagText)
  if (state.isLocked || ofTags !== undefined) return ofTags
  if (state.uploads.some(({ error }) => error !== undefined)) {
    return "A file could not be uploaded. Try it again, or remove it."
  }
  const refused = savesDraft(kind) ? undefined : filesOf(state).find(({ problem }) => problem !== undefined)
  return refused === undefined
    ? undefined
    : `A file can’t be published: ${withPeriod(refused.problem ?? "")} Remove it, or use another.`
}

/** Undefined if a save can be sent now. "save" is a save by itself, which is over in a moment. */
export const findWait = (state: Composing, kind: SaveKind): "file" | "save" | "upload" | undefined => {
  if (state.isLocked) return undefined
  if (state.uploads.some(({ error }) => error === undefined)) return "upload"
  const isProcessing = filesOf(state).some(({ problem, type }) => type === null && problem === undefined)
  if (!savesDraft(kind) && isProcessing) return "file"
  return state.autosaving === undefined ? undefined : "save"
}

const isBlankForm = ({ form, isLocked, uploads }: Composing): boolean =>
  !isLocked && uploads.length === 0 && partsOf(form).every(isBlankPart)

const isAboutTime = (error: Failure): boolean =>
  error._tag === "ApiError" &&
  error.errors.some(({ path }) => path[0] === "schedule" || path[0] === "schedule_at" || path[0] === "scheduled_at")

const withoutAttempt = (form: ComposeForm): ComposeForm =>
  form.attempt === undefined ? form : { ...form, attempt: undefined, attempted: undefined }

const rebased = (form: ComposeForm, theirs: PostJson | undefined): ComposeForm =>
  theirs === undefined ? form : { ...form, base: formatEtag(theirs) }

const textOf = (key: string): Focus => ({ key, control: "textarea" })

type Transitions<Type extends keyof Actions> = {
  readonly [T in Type]: (state: Composing, action: ActionOf<T>) => Composing
}

const onForm: Transitions<"askTime" | "endTag" | "form" | "restarted" | "tab" | "typeTag"> = {
  form: (state, { change }) => ({ ...state, form: { ...state.form, ...change } }),
  typeTag: (state, { text }) => ({ ...state, tagText: text }),
  endTag: (state) => {
    const { rest, tags } = addTags(state.form.tags, state.tagText)
    return { ...state, form: tags === state.form.tags ? state.form : { ...state.form, tags }, tagText: rest }
  },
  askTime: (state, { isAsked }) => ({ ...state, isAskingTime: isAsked }),
  // Drops uploads: a part of the new form may have the key of a replaced part, and would get its uploads.
  restarted: (state) => ({
    ...state,
    autosaved: undefined,
    splitting: undefined,
    theirs: undefined,
    unsaved: undefined,
    uploads: [],
    waiting: undefined
  }),
  tab: (state, { tab }) => ({ ...state, tab })
}

/** True during a save. Input would be lost then. */
export const isFixed = ({ saving }: Pick<Session, "saving">): boolean =>
  saving !== undefined && saving.isRefused !== true

const onParts: Transitions<"add" | "askSplit" | "move" | "part" | "putBack" | "remove" | "split" | "write"> = {
  write: (state, { key, tab, text }) => {
    if (isFixed(state)) return state
    const write = ({ overrides }: ComposePart) =>
      tab === "all" ? { content: text } : { overrides: { ...overrides, [tab]: text } }
    return { ...state, form: changePart(state.form, key, write) }
  },
  part: (state, { change, key }) => ({ ...state, form: changePart(state.form, key, change) }),
  add: (state, { after, key }) => {
    const parts = partsOf(state.form)
    const index = after === undefined ? parts.length : parts.findIndex((part) => part.key === after) + 1
    if (isFixed(state) || index === 0 || parts.length >= maxParts) return state
    return { ...state, form: withParts(state.form, parts.toSpliced(index, 0, emptyPart(key))), focus: textOf(key) }
  },
  move: (state, { by, key }) => {
    const parts = partsOf(state.form)
    const index = parts.findIndex((part) => part.key === key)
    const [part] = parts.slice(index)
    if (part === undefined || !canMove(parts, index, by)) return state
    return {
      ...state,
      form: withParts(state.form, parts.toSpliced(index, 1).toSpliced(index + by, 0, part)),
      focus: { key, control: by === -1 ? "up" : "down" },
      said: `Part ${index + 1} is part ${index + 1 + by} now`
    }
  },
  remove: (state, { key }) => {
    const parts = partsOf(state.form)
    const index = parts.findIndex((part) => part.key === key)
    const next = parts[index + 1] ?? parts[index - 1]
    if (index === -1 || next === undefined || !canRemove(parts, index)) return state
    return { ...state, form: withParts(state.form, parts.toSpliced(index, 1)), focus: textOf(next.key) }
  },
  putBack: (state, { index, part }) => {
    const parts = partsOf(state.form)
    if (isFixed(state) || parts.some(({ key }) => key === part.key)) return state
    return { ...state, form: withParts(state.form, parts.toSpliced(index, 0, part)), focus: textOf(part.key) }
  },
  askSplit: (state, { key }) => ({ ...state, splitting: key }),
  // The part keeps files that were added while the split dialog was open.
  split: (state, action) => {
    const { form, splitting } = state
    const parts = partsOf(form).flatMap((part) => (part.key === splitting ? splitPart(part, action) : [part]))
    if (isFixed(state) || splitting === undefined) return state
    return { ...state, form: withParts(form, parts), splitting: undefined, focus: textOf(splitting) }
  }
}

const onUploads: Transitions<"cancelUpload" | "upload" | "uploaded" | "uploading"> = {
  upload: (state, { upload }) => ({ ...state, uploads: [...state.uploads, upload] }),
  uploading: (state, { change, key }) => ({
    ...state,
    uploads: state.uploads.map((one) => (one.key === key ? { ...one, ...change } : one))
  }),
  uploaded: (state, { file: { alt, height, id, type, width }, key }) => {
    const upload = state.uploads.find((one) => one.key === key)
    if (upload === undefined) return state
    const added = { alt, height, id, type, width }
    return {
      ...state,
      uploads: state.uploads.filter((one) => one !== upload),
      form: changePart(state.form, upload.part, ({ media }) => ({ media: [...media, added] }))
    }
  },
  cancelUpload: (state, { key }) => ({ ...state, uploads: state.uploads.filter((one) => one.key !== key) })
}

const isBehind = ({ unsaved }: Session): boolean => unsaved !== undefined && hasCode(unsaved, "revision_mismatch")

/** The page saves by itself unless a save or another version needs the person's attention. */
export const canAutosave = (state: Composing): boolean => {
  const { autosaving, failure, form, isLocked, isSaved, saving, theirs, waiting } = state
  if (isLocked || isSaved || isBehind(state)) return false
  if (autosaving !== undefined || saving !== undefined || theirs !== undefined || waiting !== undefined) return false
  // A creation that the person asked for, and that has no response yet, has to be repeated by the person.
  if (form.attempt !== undefined && form.attempted === undefined) return false
  // A failure that names fields is about the scheduling. A draft can be saved nevertheless.
  return failure === undefined || (failure._tag === "ApiError" && failure.errors.length > 0)
}

const onAutosave: Transitions<"autosave" | "autosaved" | "notAutosaved" | "stopWaiting"> = {
  autosave: (state, { key, now, platforms }) => {
    const { form } = state
    if (!canAutosave(state)) return state
    const sent = toAttempted(form, platforms, now)
    if (form.base !== null) return { ...state, autosaving: sent }
    const attempted = form.attempted ?? sent
    return { ...state, form: { ...form, attempt: form.attempt ?? key, attempted }, autosaving: attempted }
  },
  autosaved: (state, { base, form: sent, id }) => ({
    ...state,
    form: { ...withoutAttempt(state.form), base, id },
    autosaving: undefined,
    autosaved: sent,
    unsaved: undefined
  }),
  notAutosaved: (state, { error, isSettled }) => ({
    ...state,
    form: isSettled ? withoutAttempt(state.form) : state.form,
    autosaving: undefined,
    unsaved: error
  }),
  stopWaiting: (state) => ({ ...state, waiting: undefined })
}

const onSave: Transitions<"conflict" | "keepMine" | "refused" | "reread" | "save" | "saved" | "showTheirs"> = {
  // The form keeps a creation's idempotency key, so that a retry uses it even after a reload or an edit.
  save: (state, { key: newKey, kind, now: present }) => {
    const asked = { ...state, isAsked: true, waiting: undefined }
    const { form, saving } = state
    if (saving !== undefined || findObstacle(state, kind) !== undefined) return asked
    // A text that is missing is said first: it would be refused whatever the time.
    if (kind !== "draft" && isBlankForm(state)) return asked
    if (kind === "schedule" && form.at === null) return { ...asked, isAskingTime: true }
    if (findWait(state, kind) !== undefined) return { ...asked, isAskingTime: false, waiting: kind }
    const now = kind === "now" ? (state.now ?? present) : undefined
    const key = form.attempt ?? newKey
    return {
      ...asked,
      form: form.base === null ? { ...form, attempt: key } : form,
      saving: { kind, at: now ?? form.at, key },
      now,
      failure: undefined
    }
  },
  saved: (state) => ({ ...state, saving: undefined, isAskingTime: false, isSaved: true }),
  // If the service may have received the request, the key and time stay, so that it refuses a retry with another text.
  refused: (state, { error, isSettled }) => ({
    ...state,
    form: isSettled ? withoutAttempt(state.form) : state.form,
    saving: undefined,
    now: isSettled ? undefined : state.now,
    failure: error,
    isAskingTime: state.isAskingTime || isAboutTime(error)
  }),
  reread: (state) => (state.saving === undefined ? state : { ...state, saving: { ...state.saving, isRefused: true } }),
  // A locked form's text can't differ, so there is nothing to compare. A second save overwrites the current version.
  conflict: (state, { error, theirs }) => {
    const ended = { ...state, saving: undefined, now: undefined, isAskingTime: false }
    return state.isLocked
      ? { ...ended, form: rebased(state.form, theirs), failure: error }
      : { ...ended, theirs: theirs ?? state.theirs }
  },
  showTheirs: (state, { theirs }) => ({ ...state, theirs }),
  keepMine: (state) => ({
    ...state,
    autosaved: undefined,
    form: rebased(state.form, state.theirs),
    theirs: undefined,
    unsaved: undefined
  })
}

const transitions: Transitions<keyof Actions> = { ...onForm, ...onParts, ...onUploads, ...onAutosave, ...onSave }

/** If a part is removed, its uploads are canceled. In a locked form, only the time and tags change. */
export const reduce = <Type extends keyof Actions>(state: Composing, action: ActionOf<Type>): Composing => {
  if (state.isSaved) return state
  const type: Type = action.type
  const next = transitions[type](state, action)
  const { at, base, tags } = next.form
  const form = state.isLocked && next.form !== state.form ? { ...state.form, at, base, tags } : next.form
  const keys = new Set(partsOf(form).map(({ key }) => key))
  return { ...next, form, uploads: next.uploads.filter(({ part }) => keys.has(part)) }
}

const overviews: ReadonlySet<string> = new Set(["/", "/posts", "/approvals"])

/**
 * The previous page if it lists posts, or else the saved post's page. A copied post's page does not list its copies.
 */
export const afterSave = (saved: string, from: string | undefined): string => {
  const [path = ""] = from?.split(/[?#]/) ?? []
  return from !== undefined && overviews.has(path) ? from : saved
}
