import { useLayoutEffect, useState } from "preact/hooks"
import { onePost, type PostJson } from "../../api/posts.ts"
import { hasStatus } from "../../api/errors.ts"
import { invalidate, useQuery } from "../../api/query.ts"
import type { Action } from "../../shared/actions/action.ts"
import { duplicate, edit, editPath, move } from "../../shared/actions/openers.ts"
import { navigate } from "../../shared/router.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { ContextMenu, type MenuItem } from "../../ui/controls/Menu.tsx"

interface Opened {
  readonly id: string
  readonly of: HTMLElement
  readonly at: { readonly x: number; readonly y: number }
}

export interface ChipMenuOptions {
  readonly find: (id: string) => PostJson | undefined
  readonly open: (id: string) => void
  readonly startMove: ((post: PostJson) => void) | undefined
  readonly duplicate: ((post: PostJson) => Promise<void>) | undefined
}

const itemsOf = (post: PostJson, { duplicate: copy, open, startMove }: ChipMenuOptions): ReadonlyArray<MenuItem> => {
  const item = ({ fits, icon, label }: Action, run: ((post: PostJson) => unknown) | undefined, aside?: string) =>
    run === undefined || !fits(post, new Date())
      ? []
      : [{ label, ...(icon && { icon }), aside, onSelect: () => void run(post) }]
  return [
    { label: "Open", icon: "eye", onSelect: () => open(post.id) },
    ...item(edit, startMove && (({ id }) => navigate(editPath(id)))),
    ...item(move, startMove, "D"),
    ...item(duplicate, copy, "C")
  ]
}

/** Milliseconds. */
const refreshEvery = 3000

/** Opens by the right button or the menu key. A long touch drags instead. */
export const useChipMenu = (options: ChipMenuOptions) => {
  const { find } = options
  const [opened, setOpened] = useState<Opened>()
  const post = opened === undefined ? undefined : find(opened.id)
  // The calendar reloads less often, and would offer actions on a post that somebody else has deleted.
  const { error } = useQuery(opened && onePost(opened.id), { every: refreshEvery })
  const isDeleted = opened !== undefined && hasStatus(error, 404)
  const isGone = isDeleted || (opened !== undefined && post === undefined)
  useLayoutEffect(() => {
    if (!isGone) return
    setOpened(undefined)
    if (!isDeleted) return
    toast("Somebody else deleted the post.")
    invalidate("/v1/posts")
  }, [isGone])
  return {
    onContextMenu: (event: MouseEvent) => {
      if (!(event.target instanceof Element) || (event instanceof PointerEvent && event.pointerType === "touch")) return
      const of = event.target.closest<HTMLElement>("[data-drag]")
      const id = of?.dataset["drag"]
      if (of === null || id === undefined || find(id) === undefined) return
      event.preventDefault()
      setOpened({ id, of, at: { x: event.clientX, y: event.clientY } })
    },
    menu: opened !== undefined && post !== undefined && !isGone && (
      <ContextMenu
        key={opened.id}
        label="Post"
        at={opened.at}
        of={opened.of}
        groups={[itemsOf(post, options)]}
        onClose={() => setOpened(undefined)}
      />
    )
  }
}
