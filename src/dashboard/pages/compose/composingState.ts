import type { Failure } from "../../api/errors.ts"
import type { PostJson } from "../../api/postStatus.ts"
import type { Attempted, ComposeForm } from "./form.ts"
import type { EditorTab } from "./parts.ts"

export interface Upload {
  readonly key: string
  /** The key of the part to which the file belongs. */
  readonly part: string
  readonly name: string
  /** A local URL; undefined if the browser can't show the file. */
  readonly preview: string | undefined
  /** From 0 to 1. */
  readonly progress: number
  readonly error: string | undefined
  /** False if uploading again can't help. */
  readonly canRetry: boolean
}

/** `keep` saves a draft that keeps waiting for approval. */
export type SaveKind = "draft" | "keep" | "schedule" | "now"

export const savesDraft = (kind: SaveKind): boolean => kind === "draft" || kind === "keep"

export interface Saving {
  readonly kind: SaveKind
  readonly at: string | null
  readonly key: string
  /** True while the current version loads after a conflict. The form can be changed meanwhile. */
  readonly isRefused?: boolean
}

export interface Focus {
  readonly key: string
  readonly control: "textarea" | "up" | "down"
}

/** A composer's state without its form. The browser stores only the form. */
export interface Session {
  /** True if only the time and the tags can change. */
  readonly isLocked: boolean
  /** A tag that is not completed yet. */
  readonly tagText: string
  /** True once the person has tried to save. Only then is a missing text an error. */
  readonly isAsked: boolean
  readonly tab: EditorTab
  /** For screen readers: the latest change of the parts' order. */
  readonly said: string
  readonly focus?: Focus
  readonly uploads: ReadonlyArray<Upload>
  /** The part for which the split dialog is open. */
  readonly splitting?: string | undefined
  readonly saving?: Saving | undefined
  /** The save that the person asked for, while it waits for a file or for the save by itself. */
  readonly waiting?: SaveKind | undefined
  /** The form that is being saved by itself. The person can write on meanwhile. */
  readonly autosaving?: Attempted | undefined
  /** The last form that the service has, if it was saved by itself. */
  readonly autosaved?: Attempted | undefined
  /** The last failure of a save by itself. */
  readonly unsaved?: Failure | undefined
  /** The time of the first "publish now". A retry has to send the same time. */
  readonly now?: string | undefined
  readonly failure?: Failure | undefined
  readonly isAskingTime: boolean
  /** Another person's version, until this person decides. */
  readonly theirs?: PostJson | undefined
  /** True once the form is saved. Nothing changes it afterwards. */
  readonly isSaved: boolean
}

export interface Composing extends Session {
  readonly form: ComposeForm
}

export const newSession: Session = {
  isLocked: false,
  tagText: "",
  isAsked: false,
  tab: "all",
  said: "",
  uploads: [],
  isAskingTime: false,
  isSaved: false
}
