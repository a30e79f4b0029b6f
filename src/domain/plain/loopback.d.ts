export declare const isLoopback: (host: string) => boolean
