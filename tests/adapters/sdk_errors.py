"""What the vendors' SDKs raise, classified; runs in .venv-referees and writes a line of JSON for each.

Knows: how each SDK makes its exceptions. Must not know: what they should be.
"""

import json

import anthropic
import httpx
import ollama
import openai
from botocore.exceptions import ClientError, ReadTimeoutError
from google.genai import errors as google

from weft.adapters import trouble_of
from weft.adapters.adapter import classified


def response(status, body, **headers):
    request = httpx.Request("POST", "https://provider.example/v1")
    return httpx.Response(status, json=body, headers=headers, request=request)


def from_openai(kind, status, error, **headers):
    answer = response(status, {"error": error}, **headers)
    return kind("told", response=answer, body=error)


def from_anthropic(kind, status, type, message):
    body = {"type": "error", "error": {"type": type, "message": message}}
    return kind("told", response=response(status, body), body=body)


def from_aws(status, code, message):
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}, "ConverseStream"
    )


def from_google(kind, code, status, message):
    return kind(code, {"error": {"code": code, "status": status, "message": message}})


RAISED = {
    "openai rate": from_openai(
        openai.RateLimitError,
        429,
        {"message": "Rate limit reached.", "code": "rate_limit_exceeded"},
        **{"retry-after": "7"},
    ),
    "openai quota": from_openai(
        openai.RateLimitError, 429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}
    ),
    "openai key": from_openai(
        openai.AuthenticationError, 401, {"message": "Incorrect API key provided: sk-abcdefghijkl."}
    ),
    "openai line": openai.APIConnectionError(request=httpx.Request("POST", "https://provider.example/v1")),
    "openai late": openai.APITimeoutError(httpx.Request("POST", "https://provider.example/v1")),
    "anthropic busy": from_anthropic(anthropic.InternalServerError, 529, "overloaded_error", "Overloaded"),
    "anthropic balance": from_anthropic(
        anthropic.BadRequestError, 400, "invalid_request_error", "Your credit balance is too low to access the API."
    ),
    "google rate": from_google(google.ClientError, 429, "RESOURCE_EXHAUSTED", "Quota exceeded for generateContent"),
    "google bad": from_google(
        google.ClientError, 400, "INVALID_ARGUMENT", "generateContent: contents is not specified"
    ),
    "google busy": from_google(google.ServerError, 503, "UNAVAILABLE", "The model is overloaded."),
    "ollama model": ollama.ResponseError("model 'x' not found", 404),
    "aws rate": from_aws(429, "ThrottlingException", "Too many requests"),
    "aws key": from_aws(403, "AccessDeniedException", "You don't have access"),
    "aws late": ReadTimeoutError(endpoint_url="https://provider.example"),
    "httpx late": httpx.ReadTimeout("slow"),
    "httpx line": httpx.RemoteProtocolError("peer closed connection"),
}

if __name__ == "__main__":
    for name, error in RAISED.items():
        said = classified(error)
        told = [said.type, said.retryable, trouble_of(said).name, said.cause.retry_after]
        print(json.dumps([name, *told, said.message]))
