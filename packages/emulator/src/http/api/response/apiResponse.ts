/** A response of the API. An object is sent as JSON, a string as HTML, and `null` sends no body. */
export interface ApiResponse {
  status: number;
  body: object | string | null;
}
