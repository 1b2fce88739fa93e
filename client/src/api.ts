// Made by npm run docs out of /api/openapi.json: the types of the operations, without their tokens.

/** For programs: a code never changes its meaning. */
export type ProblemCode =
  | "route_not_found"
  | "method_not_allowed"
  | "body_invalid"
  | "body_too_large"
  | "media_type_unsupported"
  | "headers_too_large"
  | "request_invalid"
  | "request_timeout"
  | "query_too_complex"
  | "key_forbidden"
  | "text_invalid"
  | "host_invalid"
  | "token_missing"
  | "token_invalid"
  | "token_ambiguous"
  | "access_token_missing"
  | "access_token_invalid"
  | "scope_missing"
  | "call_limit_reached"
  | "signature_invalid"
  | "session_invalid"
  | "csrf_invalid"
  | "sign_in_link_invalid"
  | "too_many_failures"
  | "argument_missing"
  | "argument_invalid"
  | "argument_unknown"
  | "argument_conflict"
  | "argument_repeated"
  | "path_invalid"
  | "field_invalid"
  | "filter_invalid"
  | "filter_too_complex"
  | "filter_too_costly"
  | "limit_too_large"
  | "cursor_invalid"
  | "data_too_large"
  | "entry_not_found"
  | "entry_exists"
  | "move_into_itself"
  | "revision_mismatch"
  | "folder_not_found"
  | "folder_exists"
  | "file_not_found"
  | "file_exists"
  | "file_type_refused"
  | "file_too_large"
  | "image_too_large"
  | "image_unreadable"
  | "image_unsupported"
  | "image_too_costly"
  | "field_exists"
  | "field_not_found"
  | "field_reserved"
  | "range_not_satisfiable"
  | "precondition_failed"
  | "registry_item_not_found"
  | "registry_item_read_only"
  | "token_not_found"
  | "session_not_found"
  | "token_exists"
  | "admin_not_built"
  | "docs_not_built"
  | "busy"
  | "outcome_unknown"
  | "store_damaged"
  | "internal";

/** RFC 9457. */
export type ProblemBody = {
  /** Leads to the paragraph that explains the problem. */
  type: string;
  /** The problem in a few words, the same for each code. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** For programs: a code never changes its meaning. */
  code: ProblemCode;
  /** Names the argument, what was sent and what is accepted. */
  detail: string;
  /** Finds the request in the log. */
  request_id: string;
  /** All faults, each with its code and detail, when there are several. */
  errors?: {
    /** Of this fault. */
    code: string;
    /** The argument or header that this fault is about; absent where it is about none. */
    argument?: string;
    /** Of this fault. */
    detail: string;
  }[];
  /** The status again, for clients of the Flextype API. */
  http_status_code?: number;
  /** The detail again, for clients of the Flextype API. */
  message?: string;
};

/** An entry: the client's own keys and the service's. */
export type EntryObject = {
  /** Supplied by the client, like every key that is not listed here. */
  title?: unknown;
  /** Supplied by the client; "" when it was not. */
  content: unknown;
  /** When it is or becomes public. Unix seconds. */
  published_at: number;
  /** When it was made. Unix seconds. */
  created_at: number;
  /** When it last changed. Unix seconds. */
  modified_at: number;
  /** Who published it; empty when nobody said. */
  published_by: string;
  /** Who made it; empty when nobody said. */
  created_by: string;
  /** Whether a site should have a page for it; kept for the client. */
  routable: boolean;
  /** `hidden` is fetched by id but never listed; `draft` is not public. */
  visibility: "visible" | "hidden" | "draft";
  /** Made by the service; stays when the entry moves. */
  uuid: string;
  /** The entry's id. */
  slug: string;
};

/** The fields that `only` and `except` leave. */
export type PartialEntry = {
  /** Supplied by the client, like every key that is not listed here. */
  title?: unknown;
  /** Supplied by the client; "" when it was not. */
  content?: unknown;
  /** When it is or becomes public. Unix seconds. */
  published_at?: number;
  /** When it was made. Unix seconds. */
  created_at?: number;
  /** When it last changed. Unix seconds. */
  modified_at?: number;
  /** Who published it; empty when nobody said. */
  published_by?: string;
  /** Who made it; empty when nobody said. */
  created_by?: string;
  /** Whether a site should have a page for it; kept for the client. */
  routable?: boolean;
  /** `hidden` is fetched by id but never listed; `draft` is not public. */
  visibility?: "visible" | "hidden" | "draft";
  /** Made by the service; stays when the entry moves. */
  uuid?: string;
  /** The entry's id. */
  slug?: string;
};

/** A folder. */
export type FolderObject = {
  /** The folder's path. */
  path: string;
  /** The absolute directory on the server. */
  full_path: string;
  /** Path below the site's root, not encoded. */
  url: string;
  /** The absolute address, percent-encoded. */
  full_url: string;
};

/** The fields that `only` and `except` leave. */
export type PartialFolder = {
  /** The folder's path. */
  path?: string;
  /** The absolute directory on the server. */
  full_path?: string;
  /** Path below the site's root, not encoded. */
  url?: string;
  /** The absolute address, percent-encoded. */
  full_url?: string;
};

/** A file: the service's fields and, at the same level, the client's own. */
export type FileObject = {
  /** The name without extension, until it is set. */
  title: string;
  /** A text about the file; may be empty. */
  description: string;
  /** The media type that the bytes were found to be. */
  type: string;
  /** Bytes. */
  filesize: number;
  /** When these bytes came. Unix seconds. */
  uploaded_on: number;
  /** Of images, upright or not: as stored. */
  exif: {
    /** Both sizes as attributes of an `img`. */
    html?: string;
    /** Pixels. */
    Height?: number;
    /** Pixels. */
    Width?: number;
    /** 1, or 0 for a picture in grey. */
    IsColor?: number;
  };
  /** The name with its extension. */
  filename: string;
  /** The name without it. */
  basename: string;
  /** In lower case, without the dot. */
  extension: string;
  /** The absolute directory on the server. */
  dirname: string;
  /** Path below the site's root, not encoded. */
  url: string;
  /** The absolute address, percent-encoded. */
  full_url: string;
  /** Changes whenever the bytes do. */
  version: string;
};

/** The fields that `only` and `except` leave. */
export type PartialFile = {
  /** The name without extension, until it is set. */
  title?: string;
  /** A text about the file; may be empty. */
  description?: string;
  /** The media type that the bytes were found to be. */
  type?: string;
  /** Bytes. */
  filesize?: number;
  /** When these bytes came. Unix seconds. */
  uploaded_on?: number;
  /** Of images, upright or not: as stored. */
  exif?: {
    /** Both sizes as attributes of an `img`. */
    html?: string;
    /** Pixels. */
    Height?: number;
    /** Pixels. */
    Width?: number;
    /** 1, or 0 for a picture in grey. */
    IsColor?: number;
  };
  /** The name with its extension. */
  filename?: string;
  /** The name without it. */
  basename?: string;
  /** In lower case, without the dot. */
  extension?: string;
  /** The absolute directory on the server. */
  dirname?: string;
  /** Path below the site's root, not encoded. */
  url?: string;
  /** The absolute address, percent-encoded. */
  full_url?: string;
  /** Changes whenever the bytes do. */
  version?: string;
};

/** A registry item. */
export type RegistryItem = {
  /** A dotted key. */
  key: string;
  /** The value as stored; for a key that is the parent of others, the object of them. */
  value: unknown;
};

/** A token without its secret. */
export type Token = {
  /** Names the token in calls about it; no secret. */
  id: string;
  /** What the token is for. */
  kind: "delivery" | "management" | "images" | "access";
  /** What it may be used on. */
  resources: ("entries" | "registry" | "files" | "folders" | "admin")[];
  /** What people call it. */
  label: string;
  /** Where it is used, such as `production`. */
  environment: string;
  /** Whether it is accepted. */
  state: "enabled" | "disabled";
  /** How many calls it may make in all; 0 is without limit. */
  limit_calls: number;
  /** How many it has made. */
  calls: number;
  /** Unix seconds, or null. */
  expires_at: number | null;
  /** When it was made. Unix seconds. */
  created_at: number;
  /** Unix seconds, or null. */
  last_used_at: number | null;
};

/** A token with its secret. */
export type TokenWithSecret = {
  /** Names the token in calls about it; no secret. */
  id: string;
  /** What the token is for. */
  kind: "delivery" | "management" | "images" | "access";
  /** What it may be used on. */
  resources: ("entries" | "registry" | "files" | "folders" | "admin")[];
  /** What people call it. */
  label: string;
  /** Where it is used, such as `production`. */
  environment: string;
  /** Whether it is accepted. */
  state: "enabled" | "disabled";
  /** How many calls it may make in all; 0 is without limit. */
  limit_calls: number;
  /** How many it has made. */
  calls: number;
  /** Unix seconds, or null. */
  expires_at: number | null;
  /** When it was made. Unix seconds. */
  created_at: number;
  /** Unix seconds, or null. */
  last_used_at: number | null;
  /** The secret, answered this once. */
  token: string;
};

/** A live session of the admin page. */
export type Session = {
  /** Names the session in calls about it; no secret. */
  id: string;
  /** The id of the management token that signed in. */
  actor: string;
  /** When it was started. Unix seconds. */
  created_at: number;
  /** When it was last used, at most a minute behind. Unix seconds. */
  last_seen_at: number;
  /** When it ends. Unix seconds. */
  expires_at: number;
};

/** One write. */
export type LogEvent = {
  /** Rises with each event. */
  sequence: number;
  /** When it happened. Unix seconds. */
  at: number;
  /** What was done: noun and verb. */
  kind: string;
  /** What changed: a slug, a registry key, the id of a token or session. */
  subject: string;
  /** Where a move or copy went. */
  target: string | null;
  /** How many things changed: for a subtree its size. */
  count: number;
  /** The id of the token that wrote, or `octavo`. */
  actor: string;
};

/** Figures of the running service. */
export type Stats = {
  /** Of Octavo. */
  version: string;
  /** Since the process started. */
  uptime_seconds: number;
  /** All entries, drafts too. */
  entries?: number;
  /** All folders. */
  folders?: number;
  /** All files. */
  files?: number;
  /** Bytes of all files, those with the same bytes counted once. */
  blob_bytes?: number;
  /** Images that are kept because they were asked for. */
  renditions: number;
  /** Their bytes. */
  rendition_bytes: number;
  /** Without those that are built in. */
  registry_items?: number;
  /** All tokens, disabled ones too. */
  tokens?: number;
  /** Files that were found in `uploads/` and not created by the service; they were moved to `uploads.unknown/` of the data folder. */
  unknown_uploads: number;
  /** What the database takes on the disk. */
  store_bytes: number;
  /** Resident memory of the process. */
  memory_bytes: number;
  /** `damaged` refuses all writes. */
  store_state: "ok" | "damaged";
  /** What was found damaged, a line each; "" for nothing. */
  store_faults: string;
  /** When this process last looked at the whole database file, in Unix seconds; 0 for never, absent on PostgreSQL. */
  store_checked_at?: number;
  /** How far the newest event is ahead of the clock; 0 when it is not. */
  clock_behind_seconds?: number;
  /** Entries that wait for the clock, which was ahead when they were made. */
  future_entries?: number;
};

/** A condition on a field. */
export type Condition = {
  /** A field; dots lead into objects. */
  key?: unknown;
  /** One of eq, neq, lt, lte, gt, gte, in, nin, contains, ncontains, member_of, starts_with, ends_with, between, nbetween, newer, older, regexp, nregexp, exists, or another spelling of these, such as = or >=. */
  expr?: unknown;
  /** Another name of `expr`. */
  operator?: unknown;
  /** What to compare with; a list where the operator takes one. */
  value?: unknown;
};

/** What to sort by. */
export type SortKey = {
  /** A field; dots lead into objects. */
  field?: unknown;
  /** asc or desc. */
  direction?: unknown;
};

/** Search and sort arguments, and fields to answer. As an argument of its own it asks for a collection; in `options` it does not, and serves one entry too. */
export type Filter = {
  /** The first condition, or a list of conditions. */
  where?: Condition | Condition[];
  /** More conditions that must hold, by index: `filter[and_where][0][key]` and so on. */
  and_where?: Condition | Condition[];
  /** Conditions of which one is enough in place of all the others, by index. */
  or_where?: Condition | Condition[];
  /** What to sort by, or a list. */
  order_by?: SortKey | SortKey[];
  /** How many at most. */
  limit?: unknown;
  /** How many to leave out at the beginning. */
  offset?: unknown;
  /** all, first, last, next, random, shuffle, exists or count, in place of the list. `random_value` is how many at random: of all matches, or of those within `limit` if it is sent. */
  return?: unknown;
  /** The fields to answer, a list; dots lead into objects. */
  only?: unknown;
  /** The fields to leave out, a list. */
  except?: unknown;
  /** A field: the answer is an object of lists by its values. The matches must fit on one page. */
  group_by?: unknown;
  /** Words. Each must occur in a text field of the client's data, at any depth and in any case. Of a file these are the title, the description and the meta fields; a folder has none. */
  search?: unknown;
  /** A text that must occur in some text field of the whole object, or a list of texts of which one must. `/pattern/flags` is a regular expression (RE2) with the flags i, m, s and u, here and in `not_contains` and `path`. */
  contains?: unknown;
  /** A text or pattern that must not occur in any text field, or a list of them. */
  not_contains?: unknown;
  /** A text or pattern that must occur in the id, or in the part of it below the collection; or a list of which one must. */
  path?: unknown;
  /** How deep below the id: 1, >1, <=3, a list of these, or *. */
  depth?: unknown;
  /** `true`: X-Total-Count says how many there are in all. */
  total?: unknown;
};

/** By method and address: the arguments, and the `data` of the reply. */
export type Api = {
  /** Fetch one entry or a collection */
  "GET /api/entries": {
    arguments: {
      /** The entry, or what a collection lies below; empty for the root. */
      id: string;
      /** Search and sort arguments, and fields to answer. As an argument of its own it asks for a collection; in `options` it does not, and serves one entry too. */
      filter?: Filter;
      /** Arguments about the read. */
      options?: {
        /** `true` asks for a collection. */
        collection?: unknown;
        filter?: Filter;
        find?: Filter;
      };
      /** Where the page begins: out of the Link header of the page before. */
      cursor?: string;
      /** `1` refuses unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them. */
      strict?: boolean;
    };
    data:
      | EntryObject
      | PartialEntry
      | (EntryObject | PartialEntry)[]
      | Record<string, (EntryObject | PartialEntry)[]>
      | boolean
      | number
      | null;
  };
  /** Create an entry */
  "POST /api/entries": {
    arguments: {
      /** The id of the new entry. */
      id: string;
      /** An object of fields to store. */
      data: object;
    };
    data: EntryObject;
  };
  /** Update an entry */
  "PATCH /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
      /** An object of fields to store. */
      data: object;
    };
    data: EntryObject;
  };
  /** Rename or move an entry with all below it */
  "PUT /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
      /** Where it goes. */
      new_id: string;
    };
    data: EntryObject;
  };
  /** Delete an entry with all below it */
  "DELETE /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
    };
    data: undefined;
  };
  /** Copy an entry with all below it */
  "PUT /api/entries/copy": {
    arguments: {
      /** The entry. */
      id: string;
      /** Where it goes. */
      new_id: string;
    };
    data: EntryObject;
  };
  /** List what lies directly below an entry, with what is needed to draw a tree */
  "GET /api/management/entries/children": {
    arguments: {
      /** What lies below it; empty for the root. */
      id: string;
      /** The slug of the last one of the page before. */
      after?: string;
      /** An integer from 1 to 1000. */
      limit?: number;
    };
    data: {
      /** Its id. */
      slug: string;
      /** Whether anything lies below it. */
      has_children: boolean;
      /** Null for a name that is no entry itself. */
      entry: {
        /** Its title; "" when that is no text. */
        title: string;
        /** As of the entry. */
        visibility: "visible" | "hidden" | "draft";
        /** When it is or becomes public. Unix seconds. */
        published_at: number;
      } | null;
    }[];
  };
  /** Fetch one folder or the folders in it */
  "GET /api/folders": {
    arguments: {
      /** The folder; empty for the root. */
      path: string;
      /** True asks for what lies in the folder. */
      collection?: boolean;
      /** Search and sort arguments, and fields to answer. As an argument of its own it asks for a collection; in `options` it does not, and serves one entry too. */
      filter?: Filter;
      /** Arguments about the read. */
      options?: {
        /** `true` asks for a collection. */
        collection?: unknown;
        filter?: Filter;
        find?: Filter;
      };
      /** Where the page begins: out of the Link header of the page before. */
      cursor?: string;
      /** `1` refuses unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them. */
      strict?: boolean;
    };
    data: FolderObject | PartialFolder | (FolderObject | PartialFolder)[] | boolean | number | null;
  };
  /** Create a folder, and those above it */
  "POST /api/folders": {
    arguments: {
      /** The new folder. */
      path: string;
    };
    data: FolderObject;
  };
  /** Rename or move a folder with all inside */
  "PUT /api/folders": {
    arguments: {
      /** The folder. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FolderObject;
  };
  /** Delete a folder with all inside */
  "DELETE /api/folders": {
    arguments: {
      /** The folder. */
      path: string;
    };
    data: undefined;
  };
  /** Copy a folder with all inside */
  "PUT /api/folders/copy": {
    arguments: {
      /** The folder. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FolderObject;
  };
  /** Fetch one file or the files of a folder */
  "GET /api/files": {
    arguments: {
      /** The file or folder; empty for the root. */
      path: string;
      /** True asks for what lies in the folder. */
      collection?: boolean;
      /** Search and sort arguments, and fields to answer. As an argument of its own it asks for a collection; in `options` it does not, and serves one entry too. */
      filter?: Filter;
      /** Arguments about the read. */
      options?: {
        /** `true` asks for a collection. */
        collection?: unknown;
        filter?: Filter;
        find?: Filter;
      };
      /** Where the page begins: out of the Link header of the page before. */
      cursor?: string;
      /** `1` refuses unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them. */
      strict?: boolean;
    };
    data: FileObject | PartialFile | Record<string, FileObject | PartialFile> | boolean | number | null;
  };
  /** Upload a file */
  "POST /api/files": {
    arguments: {
      /** The file. */
      file: Blob;
      /** The folder; made when missing, empty for the root. */
      folder: string;
      /** Its title; the name without extension when not sent. */
      title?: string;
      /** Its description. */
      description?: string;
      /** What happens when the name is taken. */
      on_conflict?: "replace" | "fail" | "suffix";
    };
    data: FileObject;
  };
  /** Rename or move a file */
  "PUT /api/files": {
    arguments: {
      /** The file. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FileObject;
  };
  /** Delete a file */
  "DELETE /api/files": {
    arguments: {
      /** The file. */
      path: string;
    };
    data: undefined;
  };
  /** Copy a file */
  "PUT /api/files/copy": {
    arguments: {
      /** The file. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FileObject;
  };
  /** Update a meta field */
  "PATCH /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots lead into objects. */
      field: string;
      /** A text; in a JSON body any JSON. */
      value: unknown;
    };
    data: FileObject;
  };
  /** Add a meta field */
  "POST /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots lead into objects. */
      field: string;
      /** A text; in a JSON body any JSON. */
      value: unknown;
    };
    data: FileObject;
  };
  /** Delete a meta field */
  "DELETE /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots lead into objects. */
      field: string;
    };
    data: FileObject;
  };
  /** Fetch an image, in the shape the arguments ask for */
  "GET /api/images/{path}": {
    arguments: {
      /** The path of the file below the uploads; its slashes may be encoded. */
      path: string;
      /** Turns the picture counter-clockwise, before everything else; a number disregards the EXIF data. Accepted: auto, 0, 90, 180 or 270. */
      or?: string;
      /** Cuts off edges of the colour of the upper left corner, before everything but the turn. Of an animation the first frame decides. Accepted: true, false, 1, 0, or a number from 2 to 100: how far a colour may be from that of the corner. */
      trim?: string;
      /** Cuts this rectangle out before the picture is resized. One that starts outside of the picture is ignored. With smart it is the part in the shape of w and h that draws most attention; without both of them smart changes nothing. Accepted: width,height,x,y: four numbers, width and height of 1 or more, x and y of 0 or more; or smart. */
      crop?: string;
      /** Width of the result. Accepted: a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h. */
      w?: string;
      /** Height of the result. Accepted: a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h. */
      h?: string;
      /** How the picture is fitted into w and h: contain inside; max inside, never enlarged; fill and fill-max likewise on a canvas of w and h; stretch without regard to its ratio; crop and cover fill the box and cut what is over. Accepted: contain, max, fill, fill-max, stretch, crop or cover, alone or with an edge or corner behind it (crop-top-left; top-left top top-right left center right bottom-left bottom bottom-right), or crop-x-y[-zoom] with x and y from 0 to 100 and zoom from 1 to 100. */
      fit?: string;
      /** Pixels of the device for each pixel asked for: multiplies the result's size and lengths given in pixels. Accepted: a number above 0, at most 8. */
      dpr?: string;
      /** Brightness. Accepted: a whole number from -100 to 100. */
      bri?: string;
      /** Contrast. Accepted: a whole number from -100 to 100. */
      con?: string;
      /** Gamma. Accepted: a number from 0.1 to 9.99. */
      gam?: string;
      /** Sharpens. Accepted: a number from 0 to 100; what is behind the point is cut off. */
      sharp?: string;
      /** A colour filter. Accepted: greyscale (or grayscale) or sepia. */
      filt?: string;
      /** Mirrors: h left and right, v top and bottom. Accepted: h, v or both. */
      flip?: string;
      /** Blurs. Accepted: a number from 0 to 100; what is behind the point is cut off. */
      blur?: string;
      /** Makes blocks of so many pixels a side. Accepted: a number from 0 to 1000; what is behind the point is cut off. */
      pixel?: string;
      /** A picture laid over the result. Accepted: the path of a picture below the watermarks' folder. */
      mark?: string;
      /** The watermark's width. Accepted: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h. */
      markw?: string;
      /** The watermark's height. Accepted: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h. */
      markh?: string;
      /** How the watermark is fitted into markw and markh. Accepted: contain, max, stretch, crop or cover, alone or with an edge or corner behind it (crop-top-left; top-left top top-right left center right bottom-left bottom bottom-right). */
      markfit?: string;
      /** The watermark's distance from the left or right edge it stands at. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      markx?: string;
      /** The watermark's distance from the top or bottom edge it stands at. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      marky?: string;
      /** Both of the watermark's distances at once. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      markpad?: string;
      /** Where the watermark stands. Accepted: one of top-left top top-right left center right bottom-left bottom bottom-right. */
      markpos?: string;
      /** How opaque the watermark is, in percent. Accepted: a number from 0 to 100; what is behind the point is cut off. */
      markalpha?: string;
      /** The colour under the picture. Accepted: a colour: a CSS name, #RGB, #RRGGBB, #RGBA, #RRGGBBAA or rgb(r,g,b[,a]) as in CSS, or without # RGB, RRGGBB, ARGB or AARRGGBB, A and AA in decimal tenths and hundredths. */
      bg?: string;
      /** A frame: overlay draws it over the picture, shrink makes the picture smaller, expand the result larger. Accepted: width,colour,method: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h; a colour: a CSS name, #RGB, #RRGGBB, #RGBA, #RRGGBBAA or rgb(r,g,b[,a]) as in CSS, or without # RGB, RRGGBB, ARGB or AARRGGBB, A and AA in decimal tenths and hundredths; overlay, shrink or expand. */
      border?: string;
      /** Quality of jpg, pjpg, webp and avif; of no effect on png and gif. Accepted: a number from 0 to 100; what is behind the point is cut off. */
      q?: string;
      /** Format of the result; auto is the best one the request accepts, pjpg a progressive jpg. Accepted: jpg, pjpg, png, gif, webp, avif or auto; jpeg is jpg. */
      fm?: string;
      /** Keeps every pixel of a webp or avif as it is, whatever q says; of no effect on other formats. Accepted: true, false, 1 or 0. */
      lossless?: string;
      /** Lets a jpg, png or gif appear coarse first and get finer. Accepted: true, false, 1 or 0. */
      interlace?: string;
      /** Sets of arguments kept by the service, in its setting `image_presets`; without that there are none. Later ones override earlier ones, arguments of the request override both. Accepted: names of presets, separated by commas. */
      p?: string;
      /** 1 to refuse what would be ignored, left out or cut down. */
      strict?: string;
      /** The file's version: with it the image may be kept for ever. */
      v?: string;
      /** A signature of the path and the arguments. */
      s?: string;
      /** Unix seconds until which the signature holds. */
      expires?: string;
    };
    data: undefined;
  };
  /** Fetch a registry item */
  "GET /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
    };
    data: RegistryItem;
  };
  /** Set a registry item */
  "PUT /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** A text; with a JSON body any JSON. */
      value: unknown;
    };
    data: RegistryItem;
  };
  /** Delete a registry item and all below it */
  "DELETE /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
    };
    data: undefined;
  };
  /** List the registry items at and below a key */
  "GET /api/registry/items": {
    arguments: {
      /** A dotted key; empty for all items. */
      id: string;
    };
    data: {
      /** A dotted key. */
      key: string;
      /** Its own value as stored. */
      value: unknown;
      /** True for what describes the service. */
      read_only: boolean;
    }[];
  };
  /** List tokens */
  "GET /api/tokens": {
    arguments: Record<never, never>;
    data: Token[];
  };
  /** Create a token; its secret is answered once */
  "POST /api/tokens": {
    arguments: {
      /** What the token is for. */
      kind: "delivery" | "management" | "images" | "access";
      /** A list of entries, registry, files, folders, admin. */
      resources?: ("entries" | "registry" | "files" | "folders" | "admin")[];
      /** Whether it is accepted. */
      state?: "enabled" | "disabled";
      /** A text of at most 200 characters on one line: what people call the token. */
      label?: string;
      /** A text of at most 200 characters on one line: where the token is used. */
      environment?: string;
      /** An integer from 0; 0 is without limit. */
      limit_calls?: number;
      /** Unix seconds or an ISO 8601 date in the future; null or "" for never. */
      expires_at?: unknown;
    };
    data: TokenWithSecret;
  };
  /** Change a token's state, label, environment, limit or expiry */
  "PATCH /api/tokens": {
    arguments: {
      /** The token's id. */
      id: string;
      /** Whether it is accepted. */
      state?: "enabled" | "disabled";
      /** A text of at most 200 characters on one line: what people call the token. */
      label?: string;
      /** A text of at most 200 characters on one line: where the token is used. */
      environment?: string;
      /** An integer from 0; 0 is without limit. */
      limit_calls?: number;
      /** Unix seconds or an ISO 8601 date in the future; null or "" for never. */
      expires_at?: unknown;
    };
    data: Token;
  };
  /** Revoke a token */
  "DELETE /api/tokens": {
    arguments: {
      /** The token's id. */
      id: string;
    };
    data: undefined;
  };
  /** Give a token another secret; the old one is void at once */
  "PUT /api/tokens/rotate": {
    arguments: {
      /** The token's id. */
      id: string;
    };
    data: TokenWithSecret;
  };
  /** List the live sessions of the admin page */
  "GET /api/sessions": {
    arguments: {
      /** An integer from 1 to 1000; 100 when it is left out. */
      limit?: number;
      /** Where the page begins: out of the Link header of the page before. */
      cursor?: string;
    };
    data: Session[];
  };
  /** End a session of the admin page */
  "DELETE /api/sessions": {
    arguments: {
      /** The session's id. */
      id: string;
    };
    data: undefined;
  };
  /** Read the event log, oldest first unless the newest are asked for */
  "GET /api/events": {
    arguments: {
      /** A sequence, an integer from 0: the events after it are answered. */
      since?: number;
      /** True asks for the newest, newest first; with `before` for those before it. */
      newest?: boolean;
      /** A sequence: with `newest`, the events before it. */
      before?: number;
      /** An integer from 1 to 1000. */
      limit?: number;
    };
    data: LogEvent[];
  };
  /** Figures of the running service */
  "GET /api/stats": {
    arguments: {
      /** True or false: whether the whole database file of SQLite is read first, some seconds for each gigabyte. */
      check?: boolean;
    };
    data: Stats;
  };
};
