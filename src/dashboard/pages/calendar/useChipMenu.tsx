import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { ContextMenu, type MenuItem } from "../../ui/controls/Menu.tsx"

interface Opened {
  readonly id: string
  readonly of: HTMLElement
  readonly at: { readonly x: number; readonly y: number }
}

export interface ChipMenuOptions {
  readonly find: (id: string) => PostJson | undefined
  readonly itemsOf: (post: PostJson) => ReadonlyArray<MenuItem>
}

/** The menu of a post on the calendar: by the right button, or the key for menus. A long touch drags the post instead. */
export const useChipMenu = ({ find, itemsOf }: ChipMenuOptions) => {
  const [opened, setOpened] = useState<Opened>()
  const post = opened === undefined ? undefined : find(opened.id)
  return {
    onContextMenu: (event: MouseEvent) => {
      if (!(event.target instanceof Element) || (event instanceof PointerEvent && event.pointerType === "touch")) return
      const of = event.target.closest<HTMLElement>("[data-drag]")
      const id = of?.getAttribute("data-drag")
      if (of === null || id === null || id === undefined || find(id) === undefined) return
      event.preventDefault()
      setOpened({ id, of, at: { x: event.clientX, y: event.clientY } })
    },
    menu: opened !== undefined && post !== undefined && (
      <ContextMenu
        key={opened.id}
        label="Post"
        at={opened.at}
        of={opened.of}
        groups={[itemsOf(post)]}
        onClose={() => {
          setOpened(undefined)
        }}
      />
    )
  }
}
