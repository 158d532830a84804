-- Whether the time has come until which keys are kept: milliseconds since the epoch, or nothing.
local function is_over(kept_until)
  if kept_until == '' then return false end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) >= tonumber(kept_until)
end
local NOT_KEPT = redis.error_reply('ERR the bucket is not kept any more')
