import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { maxSearchLength } from "../../../domain/plain/textSearch.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Input } from "../../ui/controls/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { setQuery } from "../router.tsx"
import { useShortcut } from "../shortcuts.ts"
import { searchable } from "./filters.ts"

/** How long a person pauses before what was typed is searched for, in milliseconds. */
const pause = 250

export interface SearchFieldProps {
  readonly label: string
  /** What is searched for. */
  readonly text: string | undefined
}

/** Searches for what is typed, which stands in the address. The key `/` leads to it, and Escape empties it. */
export const SearchField = ({ label, text }: SearchFieldProps) => {
  const [typed, setTyped] = useState(text ?? "")
  const field = useRef<HTMLDivElement>(null)
  // Any other address is another's, as after a step back or once the filters are cleared.
  const shown = useRef(text)
  const focus = () => {
    field.current?.querySelector("input")?.select()
  }
  useShortcut({ keys: "/", label, group: "Posts" }, focus)
  const search = (value: string) => {
    const wanted = searchable(value)
    if (wanted === text) return
    // What is typed meanwhile stays.
    shown.current = wanted
    setQuery({ text: wanted })
  }
  // Both before the paint: after it a person sees the text from before, and its pause ends meanwhile.
  useLayoutEffect(() => {
    if (shown.current === text) return
    shown.current = text
    if (searchable(typed) !== text) setTyped(text ?? "")
  }, [text])
  useLayoutEffect(() => {
    if (searchable(typed) === text) return
    const timer = setTimeout(() => {
      search(typed)
    }, pause)
    return () => {
      clearTimeout(timer)
    }
  }, [typed])
  return (
    <div ref={field} class="search-field" role="search">
      <Icon name="search" size={14} />
      <Input
        type="text"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder="Search"
        value={typed}
        maxlength={maxSearchLength}
        enterkeyhint="search"
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) search(typed)
          if (event.key !== "Escape" || typed === "") return
          setTyped("")
          search("")
        }}
        onValue={setTyped}
      />
      {typed !== "" && (
        <IconButton
          icon="close"
          label="Clear the search"
          onClick={() => {
            setTyped("")
            search("")
            focus()
          }}
        />
      )}
    </div>
  )
}
