import { useState } from "preact/hooks"

export interface AvatarProps {
  /** Its first letter is shown if there is no picture. */
  readonly name: string
  /** A URL of this service. */
  readonly src?: string | undefined
  readonly size?: "normal" | "large"
}

const initialOf = (name: string): string => {
  const [first = ""] =
    new Intl.Segmenter().segment(name.replace(/^@/, ""))[Symbol.iterator]().next().value?.segment ?? ""
  return first.toUpperCase()
}

/** Hidden from screen readers, because the name is shown next to it. */
export const Avatar = ({ name, size = "normal", src }: AvatarProps) => {
  const [failed, setFailed] = useState<string>()
  return (
    <span class={`avatar avatar-${size}`} aria-hidden="true">
      {src === undefined || failed === src ? (
        initialOf(name)
      ) : (
        <img src={src} alt="" loading="lazy" onError={() => setFailed(src)} />
      )}
    </span>
  )
}
