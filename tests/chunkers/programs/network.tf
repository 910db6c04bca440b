terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0" }
  }
}

variable "region" {
  type        = string
  default     = "eu-central-1"
  description = "Where it all runs."
}

locals {
  name = "shop-${var.region}"
}

# The network that everything is in.
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
  tags = {
    Name = local.name
  }
}

resource "aws_subnet" "public" {
  count      = 2
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(aws_vpc.main.cidr_block, 8, count.index)
}

data "aws_ami" "linux" {
  most_recent = true
  owners      = ["amazon"]
}

module "database" {
  source = "./database"
  subnet = aws_subnet.public[0].id
}

output "vpc_id" {
  value = aws_vpc.main.id
}
