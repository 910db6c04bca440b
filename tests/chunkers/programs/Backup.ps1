<#
.SYNOPSIS
Copies folders to where they are safe.
#>
param(
    [string]$Target = 'D:\backup',
    [int]$Keep = 7
)

Set-StrictMode -Version Latest

enum Outcome {
    Done
    Failed
}

class Job {
    [string]$Path
    [datetime]$Started

    Job([string]$path) {
        $this.Path = $path
        $this.Started = Get-Date
    }

    [Outcome] Run([string]$target) {
        Copy-Item -Recurse $this.Path $target
        return [Outcome]::Done
    }
}

function Get-OldBackup {
    [CmdletBinding()]
    param([string]$Path, [int]$Keep)
    Get-ChildItem $Path | Sort-Object CreationTime | Select-Object -SkipLast $Keep
}

function Remove-OldBackup {
    param([string]$Path, [int]$Keep)
    Get-OldBackup -Path $Path -Keep $Keep | Remove-Item -Recurse
}

Remove-OldBackup -Path $Target -Keep $Keep
