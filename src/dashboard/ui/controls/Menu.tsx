import type { ComponentChildren, RefObject } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

export interface MenuItem {
  readonly label: string
  readonly icon?: IconName
  readonly onSelect: () => void
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly checked?: boolean
  /** Shown at the end of the line, such as a shortcut. */
  readonly aside?: ComponentChildren
}

export interface MenuTrigger {
  readonly "aria-haspopup": "menu"
  readonly "aria-expanded": boolean
  readonly onClick: () => void
}

export interface MenuProps {
  /** The accessible name. */
  readonly label: string
  readonly trigger: (props: MenuTrigger) => ComponentChildren
  readonly groups: ReadonlyArray<ReadonlyArray<MenuItem>>
  readonly align?: "start" | "end"
  readonly header?: ComponentChildren
}

const enabledItems = (list: HTMLElement | null) =>
  Array.from(list?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? [])

const moveFocus = (list: HTMLElement | null, key: string): boolean => {
  const items = enabledItems(list)
  const current = items.findIndex((item) => item === document.activeElement)
  const next = {
    ArrowDown: (current + 1) % items.length,
    ArrowUp: (current - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1
  }[key]
  if (next === undefined) return false
  items[next]?.focus()
  return true
}

const useCloseOutside = (root: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void) => {
  useLayoutEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) close()
    }
    document.addEventListener("pointerdown", closeOutside)
    document.addEventListener("focusin", closeOutside)
    return () => {
      document.removeEventListener("pointerdown", closeOutside)
      document.removeEventListener("focusin", closeOutside)
    }
  }, [isOpen])
}

interface MenuListProps extends Pick<MenuProps, "groups" | "header" | "label"> {
  readonly align: "start" | "end"
  readonly close: () => void
}

const MenuList = ({ align, close, groups, header, label }: MenuListProps) => {
  const list = useRef<HTMLDivElement>(null)
  // `useEffect` runs after the next frame. A key pressed before that would go to the page behind the menu.
  useLayoutEffect(() => {
    enabledItems(list.current)[0]?.focus()
  }, [])
  return (
    <div
      ref={list}
      class={classes("menu-list", `menu-${align}`)}
      role="menu"
      tabindex={-1}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Escape") close()
        else if (!moveFocus(list.current, event.key)) return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {header !== undefined && <div class="menu-header">{header}</div>}
      {groups
        .filter((items) => items.length > 0)
        .map((items) => (
          <div class="menu-group" role="group" key={items[0]?.label}>
            {items.map((item) => (
              <button
                key={item.label}
                type="button"
                role={item.checked === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={item.checked}
                class={classes("menu-item", item.danger === true && "menu-item-danger")}
                disabled={item.disabled}
                onClick={() => {
                  close()
                  item.onSelect()
                }}
              >
                {item.icon !== undefined && <Icon name={item.icon} />}
                <span class="menu-label truncate">{item.label}</span>
                {item.checked === true && <Icon name="check" class="menu-check" />}
                {item.aside !== undefined && <span class="menu-aside">{item.aside}</span>}
              </button>
            ))}
          </div>
        ))}
    </div>
  )
}

export const Menu = ({ align = "start", groups, header, label, trigger }: MenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  useCloseOutside(root, isOpen, () => setOpen(false))
  return (
    <div class="menu" ref={root}>
      {trigger({
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        onClick: () => setOpen(!isOpen)
      })}
      {isOpen && (
        <MenuList
          label={label}
          groups={groups}
          header={header}
          align={align}
          close={() => {
            setOpen(false)
            root.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus()
          }}
        />
      )}
    </div>
  )
}

export interface ContextMenuProps extends Pick<MenuProps, "groups" | "label"> {
  readonly at: { readonly x: number; readonly y: number }
  /** The element that gets the focus back. */
  readonly of: HTMLElement
  readonly onClose: () => void
}

/** The smallest distance to the window's edges, in pixels. */
const edge = 8

export const ContextMenu = ({ at, groups, label, of, onClose }: ContextMenuProps) => {
  const root = useRef<HTMLDivElement>(null)
  useCloseOutside(root, true, onClose)
  useLayoutEffect(() => {
    const element = root.current
    if (element === null) return
    const { height, width } = element.getBoundingClientRect()
    element.style.left = `${Math.max(edge, Math.min(at.x, window.innerWidth - width - edge))}px`
    element.style.top = `${Math.max(edge, Math.min(at.y, window.innerHeight - height - edge))}px`
  }, [at])
  return (
    <div class="menu-context" ref={root}>
      <MenuList
        label={label}
        groups={groups}
        align="start"
        close={() => {
          onClose()
          of.focus()
        }}
      />
    </div>
  )
}
